"""`decomposition.html`: parts of the forces of models beside the true ones."""

from typing import TYPE_CHECKING, NamedTuple

from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.charts.thinning import thinned
from robotid.reporting.environment import environment, policy
from robotid.reporting.numbers import number
from robotid.reporting.summary import Statement, Table

if TYPE_CHECKING:
    from robotid.contracts.decomposition import Decomposition
    from robotid.models.parts_of_fits import Decomposed

PAGE = "decomposition.html"
WORDS = {"inertial": "inertia", "coriolis": "velocity", "gravity": "gravity"}
_POINTS = 120  # of a line
_SMALL = 340, 200  # width and height of charts that stand side by side [px]


class RowShown(NamedTuple):
    """The parts of one generalised force over time."""

    row: str
    charts: list[Drawing]


def render_decomposition(found: "Decomposed") -> str:
    """The page as one HTML document."""
    return (
        environment()
        .get_template("decomposition.html.j2")
        .render(
            found=found.facts,
            policy=policy(),
            statements=statements(found.facts),
            tables=[error_table(found.facts), size_table(found)],
            rows=[_row(found, at) for at in range(len(found.facts.rows))],
        )
    )


def statements(found: "Decomposition") -> list[Statement]:
    """Which model is nearest to the truth, part by part."""
    said = []
    for part, word in WORDS.items():
        errors = {
            name: error
            for name, model in found.models.items()
            if (error := model.parts[part].mean) is not None
        }
        if errors:
            best = min(errors, key=errors.__getitem__)
            text = f"Forces of {word}: {best} is nearest to the true ones, NMSE {errors[best]:.3g}."
            said.append(Statement(good=True, text=text))
    return said


def error_table(found: "Decomposition") -> Table:
    """Errors of all models."""
    rows = [
        [name, model.model, *(number(model.parts[part].mean) for part in WORDS)]
        for name, model in found.models.items()
    ]
    note = "Mean square of the error of a part over the variance of the whole force, mean of rows."
    title = "Errors of parts of the forces (NMSE)"
    return Table(title, ["model", "kind", *WORDS.values()], rows, [], notes=(note,))


def size_table(found: "Decomposed") -> Table:
    """How large parts are."""
    facts = found.facts
    rows = [
        [f"{row} [{unit}]", *(number(facts.sizes[part][row]) for part in WORDS)]
        for row, unit in zip(facts.rows, found.units, strict=True)
    ]
    return Table("How large true forces are (RMS)", ["row", *WORDS.values()], rows, [])


def _row(found: "Decomposed", at: int) -> RowShown:
    excerpt, charts = found.excerpt, []
    for part, word in WORDS.items():
        true = Series(
            "true", *thinned(excerpt.t, excerpt.true[part][:, at], _POINTS), "dashed", None
        )
        own = [
            Series(name, *thinned(excerpt.t, parts[part][:, at], _POINTS), "line", colour)
            for colour, (name, parts) in enumerate(excerpt.models.items())
        ]
        upward = Axis(f"{word} [{found.units[at]}]")
        charts.append(
            Chart(word, Axis("time [s]"), upward, [true, *own], width=_SMALL[0], height=_SMALL[1])
        )
    return RowShown(found.facts.rows[at], [one for c in charts if (one := drawn(c)) is not None])
