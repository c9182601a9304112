"""The HTML page: self-contained, everything escaped."""

from collections.abc import Sequence
from typing import Any

from robotid.reporting.advice import Advice
from robotid.reporting.environment import environment, policy
from robotid.reporting.sections.table import SECTIONS
from robotid.reporting.summary import Statement, Table
from robotid.reporting.view import FitView


def render(
    views: Sequence[FitView],
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
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            fits=[
                {"id": f"fit{place}", "view": view, "sections": _sections(view)}
                for place, view in enumerate(views, start=1)
            ],
            comparison=comparison,
            gates=gates,
            advice=advice,
            passed=passed,
            policy=policy(),
        )
    )


def _sections(view: FitView) -> list[dict[str, Any]]:
    found = [{**section._asdict(), "facts": section.build(view)} for section in SECTIONS]
    return [section for section in found if section["facts"] is not None]
