"""The HTML page: self-contained, everything escaped."""

from collections.abc import Sequence
from typing import Any

from robotid.reporting.advice import Advice
from robotid.reporting.environment import environment, policy
from robotid.reporting.sections.table import SECTIONS
from robotid.reporting.summary import Statement, Table
from robotid.reporting.view import AnyView


def render(
    views: Sequence[AnyView],
    comparison: Table | None = None,
    gates: Sequence[Table] = (),
    *,
    advice: Advice | None = None,
    passed: Statement | None = None,
) -> str:
    """The report as one HTML document.

    Args:
        views: fits, in the order in which they are shown.
        comparison: of the fits, shown before them; None without one.
        gates: tables of what was asked of the fits, shown before that.
        advice: which of several fits to use; it comes first.
        passed: what became of the gates, in a sentence beside it.
    """
    first = None if advice is None else advice.use
    shown: dict[tuple[str, str], str] = {}
    fits: dict[int, dict[str, Any]] = {}
    for place, view in sorted(enumerate(views, start=1), key=lambda one: one[1].name != first):
        name = f"fit{place}"
        fits[place] = {"id": name, "view": view, "sections": _sections(view, name, shown)}
    page = environment().get_template("page.html.j2")
    return page.render(
        fits=[fits[place] for place in sorted(fits)],
        comparison=comparison,
        gates=gates,
        advice=advice,
        passed=passed,
        policy=policy(),
    )


def _sections(view: AnyView, fit: str, shown: dict[tuple[str, str], str]) -> list[dict[str, Any]]:
    """Sections with their HTML, or the fit that has the same: data are shown once.

    The fit that is to be used has them, or else the first one: these are not folded.

    Args:
        view: of the fit.
        fit: its name on the page.
        shown: fits by section and HTML, of those that are on the page; this one is added.
    """
    found = []
    for section in (one for one in SECTIONS if isinstance(view, one.of)):
        facts = section.build(view)
        if facts is None:
            continue
        template = environment().get_template(f"sections/{section.name}.html.j2")
        html = template.render(fit=view.fit, section=facts)
        first = shown.setdefault((section.name, html), fit) if section.of_data else fit
        part = {"name": section.name, "title": section.title, "same_as": first}
        found.append({**part, "html": html if first == fit else None})
    return found
