"""What factors are made of: configuration keys that stages share. Light to import."""

from typing import Literal

from pydantic import Field

from robotid.dynamics.term_options import TermOptions


class FactorOptions(TermOptions):
    """Terms of joints, and the signal that stands for torque."""

    torque: Literal["tau", "tau_cmd", "current"] = Field(
        default="tau",
        description="The signal that stands for torque: measured, commanded, or drive current; "
        "gains of currents are identified with a known load (see loaded).",
    )
