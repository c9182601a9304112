"""The HTML page: self-contained, everything escaped."""

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from robotid.reporting.sections.table import SECTIONS
from robotid.reporting.view import FitView

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(views: Sequence[FitView]) -> str:
    """The report as one HTML document."""
    # autoescape=True and not select_autoescape(): that one leaves `.html.j2` unescaped.
    environment = Environment(
        loader=PackageLoader("robotid.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["number"] = lambda value: "–" if value is None else f"{value:.4g}"
    return environment.get_template("page.html.j2").render(
        fits=[
            {"id": f"fit{number}", "view": view, "sections": _sections(view)}
            for number, view in enumerate(views, start=1)
        ],
        policy=_POLICY,
    )


def _sections(view: FitView) -> list[dict[str, Any]]:
    found = [{**section._asdict(), "facts": section.build(view)} for section in SECTIONS]
    return [section for section in found if section["facts"] is not None]
