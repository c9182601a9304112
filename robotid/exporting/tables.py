"""The parameters of a fit as JSON and as CSV."""

import csv
import io

from robotid.contracts.export import LinkTable, ParameterTable
from robotid.contracts.fit import Parameter
from robotid.errors import BadDataError
from robotid.exporting.outcome import Request, Written
from robotid.robot.geometry import centre_and_inertia
from robotid.robot.physical import violations
from robotid.robot.tree import Array

JSON, CSV = "parameters.json", "parameters.csv"
_COLUMNS = ("name", "owner", "unit", "value", "std", "status", "nominal", "said")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets take for the start of a formula


def json_table(request: Request) -> Written:
    """Parameters, and links as bodies where inertias are symmetric."""
    fit, model = request.fitted.fit, request.fitted.model
    robot = request.fitted.robot.tree
    links = [] if model.full else zip(robot.links, model.links, strict=True)
    table = ParameterTable(
        fit_sha256=request.fit_sha256,
        model=fit.model,
        robot=fit.robot.name,
        usable=fit.verdict.usable,
        verdict=fit.verdict.sentence,
        joints=fit.joints,
        terms=fit.terms,
        gravity=robot.gravity.tolist(),
        parameters=fit.parameters,
        links=[_link(name, phi) for name, phi in links],
    )
    text = table.model_dump_json(indent=1)
    if ParameterTable.model_validate_json(text) != table:
        raise BadDataError("export-differs", f"{JSON} reads back as something else")
    return Written(JSON, text.encode(), "read again: equal", 0.0)


def csv_table(request: Request) -> Written:
    """One line per parameter; numbers with all their digits."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(_COLUMNS)
    for parameter in request.fitted.fit.parameters:
        writer.writerow([_cell(getattr(parameter, column)) for column in _COLUMNS])
    text = stream.getvalue()
    _, *rows = csv.reader(io.StringIO(text, newline=""))
    if [row[3:5] for row in rows] != [_numbers(p) for p in request.fitted.fit.parameters]:
        raise BadDataError("export-differs", f"{CSV} reads back as something else")
    return Written(CSV, text.encode(), "read again: equal", 0.0)


def _link(name: str, phi: Array) -> LinkTable:
    centre, inertia = centre_and_inertia(phi)
    broken = violations(phi)
    return LinkTable(
        name=name,
        mass=float(phi[0]),
        centre=centre.tolist() if phi[0] != 0 else None,
        inertia=inertia.tolist(),
        not_physical=broken[0] if broken else None,
    )


def _cell(value: str | float | None) -> str:
    """A number in full, nothing for what is not there, and text that no spreadsheet runs."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULAS) else value
    return repr(value)


def _numbers(parameter: Parameter) -> list[str]:
    return [_cell(parameter.value), _cell(parameter.std)]
