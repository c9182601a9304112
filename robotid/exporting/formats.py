"""All formats of an export by name."""

from collections.abc import Callable

from robotid.exporting.c_header import c_header
from robotid.exporting.outcome import Request, Written
from robotid.exporting.payload import payload_table
from robotid.exporting.python_module import python_module
from robotid.exporting.robot_files import mjcf_file, urdf_file
from robotid.exporting.tables import csv_table, json_table

FORMATS: dict[str, Callable[[Request], Written]] = {
    "urdf": urdf_file,
    "mjcf": mjcf_file,
    "json": json_table,
    "csv": csv_table,
    "payload": payload_table,
    "python": python_module,
    "c": c_header,
}
