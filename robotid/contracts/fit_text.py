"""The text of a `fit.json`, checked."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from robotid.contracts.versions import first_fault, other_version
from robotid.errors import BadDataError

Found = TypeVar("Found", bound=BaseModel)


def parsed(kind: type[Found], raw: bytes, path: Path) -> Found:
    """The text of a `fit.json` as a fit of a kind; the path is for messages."""
    try:
        found = kind.model_validate_json(raw)
        json.loads(raw, parse_constant=_no_number)
    except ValidationError as error:
        version = other_version(error, kind.model_fields["format"].default, "fit again")
        if version is not None:
            said, hint = version
            raise BadDataError("fit-other-version", said, file=str(path), hint=hint) from error
        said = f"not a fit as robotid writes it: {first_fault(error)}"
        raise BadDataError("bad-fit", said, file=str(path), hint="fit again") from error
    except ValueError as error:
        said = f"not a fit as robotid writes it: {error}"
        raise BadDataError("bad-fit", said, file=str(path), hint="fit again") from error
    return found


def _no_number(text: str) -> None:
    """JSON has no NaN and no infinity; Python and pydantic would take them."""
    raise ValueError(f"{text} is not a number")
