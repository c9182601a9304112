"""`comparison.html`: the comparison as one page that opens anywhere."""

from collections.abc import Sequence

from robotid.contracts.comparison import ForwardComparison
from robotid.reporting.environment import environment, policy
from robotid.reporting.grid.charts import grid
from robotid.reporting.grid.motions import Run
from robotid.reporting.grid.summary import name, statements, tables, title

PAGE = "comparison.html"


def render_comparison(found: ForwardComparison, runs: Sequence[Run]) -> str:
    """The page as one HTML document."""
    return (
        environment()
        .get_template("grid.html.j2")
        .render(
            found=found,
            policy=policy(),
            statements=statements(found),
            tables=tables(found),
            names=[name(row) for row in found.rows],
            titles=[title(column) for column in found.columns],
            joints=sorted({run.rollout.joints[-1] for run in runs}),
            drawings=grid(found, runs),
        )
    )
