"""The report in a real browser: opens by itself, zooms, sorts, prints, reads without scripts."""

import re
import shutil
from unittest.mock import patch

import numpy as np
import pytest
from jinja2 import ChoiceLoader, DictLoader

from robotid.reporting import page as pages
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import drawn
from robotid.reporting.sections.table import SECTIONS, Section
from robotid.reporting.summary import Table
from robotid.reporting.view import FitView
from robotid.robot.catalog import FILES
from tests.reporting.forward import forward_view
from tests.reporting.full import full_view
from tests.reporting.hostile import PAYLOADS, hostile_view
from tests.reporting.test_page import Elements

api = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

LAPTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
ZOOMED = """{% from "chart.html.j2" import chart %}{% for one in section %}{{ chart(one) }}{% endfor %}"""


def zoomable_charts():
    """One with even axes, one with logarithmic ones."""
    t = np.linspace(0.0, 20.0, 5000)
    wave = [Series("measured", t, np.sin(t)), Series("predicted", t, 0.9 * np.sin(t), "dashed", 1)]
    even = Chart("Wave", Axis("time [s]"), Axis("torque [N m]"), wave, zoom=True)
    f = np.geomspace(0.1, 500.0, 400)
    fall = [Series("", f, 1 / f**2)]
    powers = Axis("frequency [Hz]", log=True), Axis("power", log=True)
    return [drawn(even), drawn(Chart("Fall", *powers, fall, zoom=True))]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A page with two fits and, whatever else, two charts to zoom."""
    folder = tmp_path_factory.mktemp("report")
    extra = Section("zoomed", "To zoom", FitView, lambda view: zoomable_charts())
    environment = pages.environment()
    loader = ChoiceLoader([DictLoader({"sections/zoomed.html.j2": ZOOMED}), environment.loader])
    views = [full_view(folder / name, name=name) for name in ("first", "second")]
    path = folder / "report.html"
    with (
        patch.object(pages, "SECTIONS", (*SECTIONS, extra)),
        patch.object(environment, "loader", loader),
    ):
        path.write_text(pages.render(views), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chromium():
    with api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """Opens a file; anything that it loads besides, says, or fails at is a failure."""
    contexts, wrong = [], []

    def open_(path, **options):
        context = chromium.new_context(**{"viewport": LAPTOP, **options})
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: wrong.append(message.text))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        tab.on(
            "request",
            lambda request: wrong.append(request.url) if request.url != path.as_uri() else None,
        )
        tab.goto(path.as_uri())
        return tab

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


def sideways(tab):
    """How far the page can be moved to the right."""
    return tab.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def test_charts_are_drawn(report, opened):
    tab = opened(report)
    assert "Identification report" in tab.inner_text("h1")
    assert tab.locator("details.fit, article > details").count() == 2
    boxes = tab.evaluate("""[...document.querySelector('article').querySelectorAll('figure .inside')]
        .filter(e => e.closest('details:not([open])') === null)
        .map(e => [...e.querySelectorAll('path:not(.mark)')].map(p => p.getBoundingClientRect()))
        .map(all => Math.max(...all.map(b => b.width)) * Math.max(...all.map(b => b.height)))""")
    assert len(boxes) >= 3
    assert min(boxes) > 100  # square pixels
    colours = tab.evaluate("""[...new Set([...document.querySelectorAll('.inside .line')]
        .map(e => getComputedStyle(e).stroke))]""")
    assert "rgb(23, 102, 190)" in colours
    assert "none" not in colours


def labels(figure, side):
    return figure.locator(f".ticks.{side} text").all_text_contents()


def seen(figure):
    return [float(x) for x in figure.locator("svg.inside").get_attribute("viewBox").split()]


@pytest.mark.parametrize("title", ["Wave", "Fall"])
def test_zoom(report, opened, title):
    """By mouse, wheel and keyboard; what scripts write for the whole is what Python wrote."""
    tab = opened(report)
    figure = tab.locator("#fit1-zoomed figure.zoomable", has_text=title)
    whole, across, upward = seen(figure), labels(figure, "across"), labels(figure, "upward")
    svg = figure.locator("> svg")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    y = box["y"] + box["height"] / 2
    tab.mouse.move(box["x"] + 0.4 * box["width"], y)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 0.5 * box["width"], y, steps=3)
    assert figure.locator(".pick").count() == 1
    tab.mouse.up()
    assert figure.locator(".pick").count() == 0
    picked = seen(figure)
    assert picked[2] == pytest.approx(0.1 * 680, rel=0.05)  # pixels of the drawing
    assert picked[3] < whole[3]
    assert labels(figure, "across") != across
    assert labels(figure, "upward") != upward
    assert len(labels(figure, "across")) >= 2
    texts = [float(text) for text in labels(figure, "across")]
    assert texts == sorted(set(texts))
    svg.dblclick()
    assert (seen(figure), labels(figure, "across"), labels(figure, "upward")) == (
        whole,
        across,
        upward,
    )
    tab.mouse.wheel(0, -100)  # without ctrl it scrolls
    assert seen(figure) == whole
    svg.scroll_into_view_if_needed()
    tab.keyboard.down("Control")
    svg.hover()
    tab.mouse.wheel(0, -100)
    tab.keyboard.up("Control")
    tab.wait_for_function("e => e.getAttribute('viewBox').split(' ')[2] < 600",
                          arg=figure.locator("svg.inside").element_handle())  # fmt: skip
    for name in ("zoom in", "later", "earlier", "zoom out"):
        before = seen(figure)
        figure.get_by_role("button", name=name).focus()
        tab.keyboard.press("Enter")
        assert seen(figure) != before
    figure.get_by_role("button", name="show all").press("Enter")
    assert (seen(figure), labels(figure, "across"), labels(figure, "upward")) == (
        whole,
        across,
        upward,
    )


def test_tables_sort(report, opened):
    tab = opened(report)
    table = tab.locator("section.errors table.sortable").first

    def column(number):
        return table.locator(f"tbody tr > :nth-child({number})").all_text_contents()

    joints, errors = column(1), column(2)
    head = table.get_by_role("columnheader").nth(1)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    values = [float(text.split()[0]) for text in column(2)]
    assert values == sorted(values, reverse=True)
    assert column(2) != errors
    assert table.locator("tfoot tr").count() == 1
    table.get_by_role("columnheader").first.get_by_role("button").click()
    assert column(1) == sorted(joints)
    assert head.get_attribute("aria-sort") is None
    for _ in range(2):
        table.get_by_role("columnheader").first.get_by_role("button").click()
    assert (column(1), column(2)) == (joints, errors)


def test_links_open_what_is_folded(report, opened):
    tab = opened(report)
    folded = tab.locator("#fit2 > details")
    assert not folded.evaluate("e => e.open")
    tab.locator("header nav a", has_text="second").click()
    assert tab.locator("#fit2").is_visible()
    tab.evaluate("location.hash = '#fit2-errors'")
    tab.wait_for_function("document.querySelector('#fit2 > details').open")


def test_paper(report, opened):
    tab = opened(report, color_scheme="dark")
    tab.emulate_media(media="print")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for selector in (".tools", "nav"):
        assert not any(part.is_visible() for part in tab.locator(selector).all())
    assert tab.locator("thead th").first.is_visible()
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details:not([open])").count() == 0
    assert tab.locator("#fit2-verdict").is_visible()
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("details:not([open])").count() > 0
    assert tab.pdf(format="A4").startswith(b"%PDF")


def test_phone(report, opened):
    tab = opened(report, viewport=PHONE)
    tab.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert sideways(tab) == 0
    wide = tab.locator("section.errors .wide").first
    assert wide.evaluate(
        "e => e.scrollWidth > e.clientWidth"
    )  # there, and not the page, one scrolls
    size = tab.evaluate("""(() => { const e = document.querySelector('.chart .ticks text');
        return e.getBoundingClientRect().height; })()""")
    assert size > 8  # pixels


def test_charts_are_as_large_on_a_phone(report, opened):
    """Only their width shrinks; letters do not run into each other."""
    heights, tabs = {}, {"laptop": opened(report), "phone": opened(report, viewport=PHONE)}
    for name, tab in tabs.items():
        tab.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        heights[name] = tab.evaluate("""[...document.querySelectorAll('.chart > svg')]
            .map(e => e.getBoundingClientRect().height)""")
    assert heights["phone"] == heights["laptop"]
    assert min(heights["phone"]) >= 150  # pixels
    size = "parseFloat(getComputedStyle(document.querySelector('.chart .ticks text')).fontSize)"
    assert tabs["phone"].evaluate(size) >= 11
    overlaps = tabs["phone"].evaluate("""[...document.querySelectorAll('.ticks.across:not(.slanted)')].filter(g => {
        const boxes = [...g.children].map(e => e.getBoundingClientRect()).filter(b => b.width);
        return boxes.some((b, n) => n && b.left < boxes[n - 1].right);
    }).length""")
    assert overlaps == 0


def test_torque_and_error_zoom_together(report, opened):
    tab = opened(report)
    first, second = (tab.locator("#fit1-torques .together").nth(n) for n in (0, 1))
    torque, error = first.locator("figure").all()
    other = seen(second.locator("figure").first)
    whole = seen(torque)
    torque.get_by_role("button", name="zoom in").click()
    assert seen(error)[::2] == seen(torque)[::2] != whole[::2]
    assert labels(error, "across") == labels(torque, "across")
    error.get_by_role("button", name="later").click()
    assert seen(error)[::2] == seen(torque)[::2]
    assert seen(second.locator("figure").first) == other  # another joint
    error.locator("> svg").dblclick()
    assert seen(torque) == whole
    assert tab.locator("#fit1-torques p", has_text="Drag across a chart").count() == 1


def learned_view(folder, robot):
    """A forward fit with all that one may have."""
    return forward_view(folder, robot, actuator="stribeck", learned=True)


@pytest.mark.parametrize("made", [full_view, forward_view, learned_view])
def test_no_table_is_cut_off_on_a_laptop_or_on_paper(opened, tmp_path, made):
    """Of a robot with seven joints, all that is folded unfolded; on paper as wide as A4 leaves."""
    path = tmp_path / "report.html"
    path.write_text(pages.render([made(tmp_path / "fit", "panda")]), encoding="utf-8")
    wide = """[...document.querySelectorAll('table')]
        .filter(t => t.getBoundingClientRect().width > t.parentElement.clientWidth + 1)
        .map(t => t.caption && t.caption.textContent)"""
    for media, width in (("screen", 1280), ("print", 680)):
        tab = opened(path, viewport={"width": width, "height": 800})
        tab.emulate_media(media=media)
        tab.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        assert tab.evaluate(wide) == []
        assert sideways(tab) == 0
    kinds = """[...document.querySelectorAll('tfoot, thead, th button')]
        .map(e => e.tagName + ' ' + getComputedStyle(e).display)"""
    assert set(tab.evaluate(kinds)) == {
        "TFOOT table-row-group", "THEAD table-header-group", "BUTTON contents",
    }  # fmt: skip


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_labels_of_links_stay_inside(opened, tmp_path, viewport):
    robot = tmp_path / "long.urdf"
    text = (FILES / "panda.urdf").read_text(encoding="utf-8")
    robot.write_text(text.replace("panda_link", "WAM_mounting_frame_"), encoding="utf-8")
    path = tmp_path / "report.html"
    view = full_view(tmp_path / "fit", str(robot))
    path.write_text(pages.render([view]), encoding="utf-8")
    outside = opened(path, viewport=viewport).evaluate("""[...document.querySelectorAll('.robot .views svg')]
        .flatMap(svg => { const box = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')].map(e => e.getBoundingClientRect())
                .filter(b => b.left < box.left || b.right > box.right).length; })""")
    assert outside == [0, 0]


def test_names_stay_in_sight(opened, tmp_path):
    """The first column of a comparison that is moved sideways."""
    path = tmp_path / "report.html"
    fits = [f"a_fit_with_a_long_name_{n}" for n in range(6)]
    table = Table("Comparison", ["", *fits], [["rmse of joint1", *["0.123"] * 6]], [])
    path.write_text(pages.render([full_view(tmp_path / "fit")], table), encoding="utf-8")
    tab = opened(path, viewport=PHONE)
    tab.locator("#comparison .wide").evaluate("e => { e.scrollLeft = 300; }")
    assert tab.locator("#comparison tbody td").first.bounding_box()["x"] >= 0
    assert tab.locator("#comparison tbody td").nth(1).bounding_box()["x"] < 0


def luminance(colour):
    parts = [int(x) / 255 for x in re.findall(r"\d+", colour)[:3]]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(report, opened, scheme):
    """Every colour that text has, on the background it stands on."""
    tab = opened(report, color_scheme=scheme)
    pairs = tab.evaluate("""(() => {
        const found = new Set();
        for (const e of document.querySelectorAll('body *')) {
            const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
            if (!own || ['SCRIPT', 'STYLE', 'title'].includes(e.tagName)) continue;
            let at = e;
            while (at && /, 0\\)$/.test(getComputedStyle(at).backgroundColor)) at = at.parentElement;
            const said = getComputedStyle(e);
            const ink = e.closest('svg') ? said.fill : said.color;
            found.add(ink + ' on ' + getComputedStyle(at || document.body).backgroundColor);
        }
        return [...found];
    })()""")
    assert len(pairs) >= 4
    dark = luminance(tab.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.1
    assert dark == (scheme == "dark")
    faint = {pair: contrast(*pair.split(" on ")) for pair in pairs}
    assert min(faint.values()) >= 4.5, faint


def test_reads_without_scripts(report, opened):
    tab = opened(report, java_script_enabled=False)
    text = tab.locator("#fit1-verdict").inner_text()
    assert "Not to be used" in text
    assert "record more" in text
    assert tab.locator("section.errors table").first.is_visible()
    assert tab.locator("figure .inside .line").first.bounding_box()["width"] > 100
    assert tab.locator("button").count() == 0
    tab.locator("#fit2 summary").first.click()
    assert tab.locator("#fit2-verdict").is_visible()


def test_s18_nothing_in_the_data_is_executed(opened, tmp_path):
    """All payloads in one page, which has as many elements as harmless words would give it."""
    groups = ["".join(PAYLOADS[n::8]) for n in range(8)]
    hostile = [hostile_view(tmp_path / f"fit{n}", text) for n, text in enumerate(groups)]
    plain = [hostile_view(tmp_path / f"plain{n}", f"harmless{n}") for n in range(3)]

    def elements(views):
        path = tmp_path / f"{len(views)}.html"
        path.write_text(pages.render(views), encoding="utf-8")
        tab = opened(path)
        tab.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        tab.wait_for_timeout(100)
        assert tab.evaluate("window.__hit") is None
        return tab.evaluate("document.querySelectorAll('*').length")

    two, three = elements(plain[:2]), elements(plain)  # of different data, which are not shared
    assert elements(hostile) == two + (len(hostile) - 2) * (three - two)
    assert three - two > 100


def test_policy_lets_nothing_else_run(report, opened, tmp_path):
    """A script that did get in would not run, nor load anything."""
    path = tmp_path / "report.html"
    bad = '<script>window.__hit = 1</script><img src="x" onerror="window.__hit = 2">'
    text = report.read_text(encoding="utf-8")
    assert "script" in Elements(text).tags
    path.write_text(text.replace("</main>", f"{bad}</main>"), encoding="utf-8")
    context = opened(report).context  # a page without complaints is not what this one is
    tab = context.new_page()
    said = []
    tab.on("console", lambda message: said.append(message.text))
    tab.goto(path.as_uri())
    assert tab.evaluate("window.__hit") is None
    assert len(said) >= 2
    assert all("Content Security Policy" in text for text in said)
