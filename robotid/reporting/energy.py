"""What a forward model can do to the energy of a robot that nobody drives, in plain words."""

from typing import NamedTuple

from robotid.contracts.forward import EnergyClass


class Promise(NamedTuple):
    """What is certain of the energy, whatever was learned.

    Args:
        short: in a word or two.
        said: what is certain.
        means: what that means where the model is used.
        certain: whether it is a bound at all.
    """

    short: str
    said: str
    means: str
    certain: bool


PROMISES: dict[EnergyClass, Promise] = {
    "conserving": Promise(
        "kept",
        "A robot that nobody drives keeps its energy exactly: the model has no friction.",
        "Such a model swings forever. Friction that the real robot has is made up for by other "
        "values, such as heavier links.",
        certain=True,
    ),
    "bounded": Promise(
        "never added to",
        "A robot that nobody drives never gains energy, whatever was learned: friction works "
        "against the motion by construction.",
        "Left to run, it comes to rest as a real robot does.",
        certain=True,
    ),
    "unbounded": Promise(
        "may be added to",
        "Nothing keeps this model from gaining energy, even with nobody driving and however "
        "well it fits.",
        "Left to run, it may move faster and faster. Use it for single predictions, or only "
        "after robotid rollout has shown that its energy does not grow.",
        certain=False,
    ),
}
