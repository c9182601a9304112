"""The HTML page: self-contained, everything escaped."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from robotid.reporting.numbers import fitted, number, percent, whole
from robotid.reporting.sections.table import SECTIONS
from robotid.reporting.summary import Table
from robotid.reporting.view import FitView


def render(
    views: Sequence[FitView], comparison: Table | None = None, gates: Sequence[Table] = ()
) -> str:
    """The report as one HTML document.

    Args:
        views: fits, in the order in which they are shown.
        comparison: of the fits, shown before them; None without one.
        gates: tables of what was asked of the fits, shown first.
    """
    environment = _environment()
    return environment.get_template("page.html.j2").render(
        fits=[
            {"id": f"fit{place}", "view": view, "sections": _sections(view)}
            for place, view in enumerate(views, start=1)
        ],
        comparison=comparison,
        gates=gates,
        policy=_policy(environment),
    )


@cache
def _environment() -> Environment:
    # autoescape=True and not select_autoescape(): that one leaves `.html.j2` unescaped.
    environment = Environment(
        loader=PackageLoader("robotid.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    filters = {"number": number, "fitted": fitted, "percent": percent, "whole": whole}
    environment.filters |= filters
    return environment


def _policy(environment: Environment) -> str:
    """Nothing is loaded, and nothing runs or is styled but what this package wrote."""
    style, script = (
        b64encode(sha256(environment.get_template(name).render().encode()).digest()).decode()
        for name in ("style.css", "script.js")
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _sections(view: FitView) -> list[dict[str, Any]]:
    found = [{**section._asdict(), "facts": section.build(view)} for section in SECTIONS]
    return [section for section in found if section["facts"] is not None]
