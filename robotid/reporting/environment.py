"""The template engine that all pages share, and what their policy allows."""

from base64 import b64encode
from functools import cache
from hashlib import sha256

from jinja2 import Environment, PackageLoader, StrictUndefined

from robotid.reporting.numbers import fitted, fixed, number, percent, whole


@cache
def environment() -> Environment:
    """Templates of this package; everything in them is escaped."""
    # autoescape=True and not select_autoescape(): that one leaves `.html.j2` unescaped.
    made = Environment(
        loader=PackageLoader("robotid.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    shown = (number, fitted, fixed, percent, whole)
    made.filters |= {function.__name__: function for function in shown}
    return made


def policy() -> str:
    """Nothing is loaded, and nothing runs or is styled but what this package wrote."""
    style, script = (
        b64encode(sha256(environment().get_template(name).render().encode()).digest()).decode()
        for name in ("style.css", "script.js")
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'"
    )
