"""When adam has learned enough, and in which order: configuration keys. Light to import."""

from collections.abc import Collection
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ONLINE_BATCH = 256  # samples, of every model


class ProtocolOptions(BaseModel):
    """How adam passes the data, and when it stops before its epochs have run out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: float | None = Field(
        default=None,
        gt=0,
        description="Error that is good enough: adam stops after the first epoch with nmse_var of "
        "every joint at or below it, on validation data or, where there are none, on training "
        "data.",
    )
    order: Literal["shuffled", "time"] = Field(
        default="shuffled", description="Order in which an epoch of adam passes the samples."
    )
    loss_units: Literal["noise", "range", "spread", "si"] | None = Field(
        default=None,
        description="What adam counts the errors of a joint in: its noise as least squares find "
        "it, the range or the spread (standard deviation) of its torque, or N m and N for all "
        "alike (si); by default noise for links, range for learned models, spread for felan.",
    )
    online: bool = Field(
        default=False,
        description="Learn while the robot moves: adam passes the training data once, in the order "
        "of time, and errors on all data are recorded on the way.",
    )


def check_online(
    changed: Collection[str], *, memory: bool, two_stages: bool, from_sdp: bool
) -> None:
    """Refuse what a single pass cannot do, and what would let it know the data beforehand.

    Args:
        changed: keys that are set.
        memory: whether the model is a network with a memory.
        two_stages: whether a part of it is found before.
        from_sdp: whether it begins with what an sdp finds.
    """
    for key in ("epochs", "patience", "target", "decay", "decay_after", "stop_by"):
        if key in changed:
            raise ValueError(f"{key}: online passes the data once, without epochs")
    if "order" in changed:
        raise ValueError("order: online is in the order of time by itself")
    if "cv" in changed:
        raise ValueError("cv: online is judged on all data on the way, not by folds")
    if memory:
        raise ValueError("online is for single samples; a memory (lstm) learns from sequences")
    if two_stages:
        raise ValueError("training: the body of 2s has seen all data before; online needs e2e")
    if "actuator" in changed:
        raise ValueError("actuator: friction begins as an sdp finds it in all data; online needs "
                         "terms instead")  # fmt: skip
    if from_sdp:
        raise ValueError("init: an sdp has seen all data before; online needs random, published "
                         "or prior")  # fmt: skip
