"""Options that are texts with several numbers: boxes of centres of mass, and loads."""

from math import isfinite

LOAD = "MASS[,CX,CY,CZ[,IXX,IYY,IZZ,IXY,IXZ,IYZ]]"
BOX = "LINK=XMIN,YMIN,ZMIN,XMAX,YMAX,ZMAX"


def boxed(text: str) -> tuple[str, tuple[float, float, float], tuple[float, float, float]]:
    """Link, lower and upper corner of a box for a centre of mass."""
    link, sign, rest = text.rpartition("=")
    try:
        x0, y0, z0, x1, y1, z1 = map(float, rest.split(","))
    except ValueError:
        raise ValueError(f"{text!r} is not {BOX}") from None
    if not sign or not link:
        raise ValueError(f"{text!r} is not {BOX}")
    if not (x0 <= x1 and y0 <= y1 and z0 <= z1):
        raise ValueError(f"no centre of mass is in {text!r}: give the lower corner first")
    return link, (x0, y0, z0), (x1, y1, z1)


def load_numbers(text: str) -> list[float]:
    """One, four or ten numbers of a load."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, 4, 10):
        raise ValueError(f"{text!r} is not {LOAD}")
    if not all(map(isfinite, values)) or values[0] <= 0:
        raise ValueError(f"a load of {text!r}: give finite numbers, and a mass above 0")
    return values
