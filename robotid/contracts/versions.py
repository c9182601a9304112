"""Files of other versions of robotid, told apart from broken ones; and what is broken in those."""

from typing import Any, Literal

from pydantic import ValidationError

FitKind = Literal["rigid", "forward", "learned"]

_HEAD = 200  # bytes of a `fit.json` that say what kind of fit it is
FLOATING = ("felan", "felan-bs", "delan-pp")  # energies that are learned, of a floating base alone
LAGRANGIAN = ("delan", *FLOATING)
LEARNED = ("mlp", "lstm", "hybrid", *LAGRANGIAN)  # models of torques that are learned
KINODYNAMIC = "kinodynamic"  # what a fit of links with learned kinematics is called
LEARNED_FITS = (*LEARNED, KINODYNAMIC)


def other_version(error: ValidationError, own: int, again: str) -> tuple[str, str] | None:
    """What to say of a file whose `format` is not ours, and the way out; None if that is not it.

    Args:
        error: of reading it.
        own: the format this version reads.
        again: what to do with a file of an older version.
    """
    given: Any = next((p["input"] for p in error.errors() if p["loc"] == ("format",)), None)
    if not isinstance(given, int) or isinstance(given, bool):
        return None
    if given > own:
        said = f"a newer version of robotid wrote this (format {given}, this one reads {own})"
        return said, "update robotid"
    return f"an older version of robotid wrote this (format {given}, this one reads {own})", again


def first_fault(error: ValidationError) -> str:
    """What is wrong with a file, and in which field; of several faults the first."""
    faults = error.errors()
    field = ".".join(map(str, faults[0]["loc"]))
    said = f"{field}: {faults[0]['msg']}" if field else faults[0]["msg"]
    return f"{said} (and {len(faults) - 1} more)" if len(faults) > 1 else said


def kind_of(raw: bytes) -> FitKind:
    """What kind of fit the text of a `fit.json` is, by its first fields."""
    head = raw[:_HEAD].translate(None, b" \n")
    if b'"predicts":"acceleration"' in head:
        return "forward"
    learned = any(f'"model":"{name}"'.encode() in head for name in LEARNED_FITS)
    return "learned" if learned else "rigid"
