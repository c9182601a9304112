"""What an earlier fit knows already: the information a design adds to."""

from pathlib import Path

from robotid.contracts.fit import INFORMATION
from robotid.contracts.information import Information, read_information
from robotid.errors import BadDataError
from robotid.information.layout import Layout


def read_given(folder: Path, layout: Layout) -> Information:
    """The information of a fit of the same robot; that of another is refused.

    Args:
        folder: of the fit.
        layout: robot and terms of the design.
    """
    path = folder / INFORMATION
    found = read_information(path)
    if found.facts.geometry_sha256 != layout.digest:
        raise BadDataError(
            "given-differs",
            f"the fit that is given is of another robot ({found.facts.robot}) than the design "
            f"({layout.robot.name}), or the same changed otherwise",
            file=str(path),
            hint="design with the robot file, locks, base and gravity of the fit",
        )
    return found
