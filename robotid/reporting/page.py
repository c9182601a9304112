"""The HTML page: self-contained, everything escaped, no script."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from robotid.reporting.facts import ReportFacts
from robotid.reporting.spectra import HEIGHT, WIDTH, pictures


def render(facts: ReportFacts) -> str:
    """The report as one HTML document."""
    # autoescape=True and not select_autoescape(): that one leaves `.html.j2` unescaped.
    environment = Environment(
        loader=PackageLoader("robotid.reporting"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["number"] = lambda value: "–" if value is None else f"{value:.4g}"
    return environment.get_template("report.html.j2").render(
        facts=facts, pictures=pictures, width=WIDTH, height=HEIGHT
    )
