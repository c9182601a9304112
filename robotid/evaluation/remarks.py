"""What does not forbid to use a fit and should be known all the same.

Poor excitation is of this kind: the parameters say so themselves, and motions like those of the
training data are predicted well. Gates refuse what a user wants to have refused.
"""

from collections.abc import Sequence

from robotid.contracts.fit import Choice, Identifiability, held_out
from robotid.contracts.words import BASELINES, DATA, times
from robotid.errors import Notice
from robotid.evaluation.verdict import Fitted, error_ratios, impossible_links, worse_joints

_HIGH_CONDITION, _VERY_HIGH_CONDITION = 100.0, 1e4
_OVERFIT = 2.0  # held-out over training error


def remarks(fitted: Fitted) -> list[Notice]:
    """The remarks on a fit."""
    split = held_out(fitted.metrics)
    return [
        *_held_out(split),
        *_no_better_joints(fitted, split),
        *_links(fitted),
        *([] if fitted.identifiability is None else _excitation(fitted.identifiability)),
        *_overfit(fitted, split),
        *_edges(fitted.choices),
    ]


def _held_out(split: str) -> list[Notice]:
    if split != "train":
        return []
    said = "no data were held out: nothing shows how well other motions are predicted"
    return [Notice(code="nothing-held-out", message=said, hint="record another motion")]


def _no_better_joints(fitted: Fitted, split: str) -> list[Notice]:
    """Joints that some baseline predicts better, however good the others are."""
    found: dict[str, list[str]] = {}
    for name, metrics in fitted.baselines.items():
        for joint in worse_joints(fitted.metrics, metrics, split):
            found.setdefault(joint, []).append(BASELINES[name])
    hint = "check its torque signal, terms and excitation"
    return [
        Notice(
            code="joint-no-better",
            message=f"on {DATA[split]}, {_listed(names)} this joint better",
            joint=joint,
            hint=hint,
        )
        for joint, names in found.items()
    ]


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last} predict" if first else f"{last} predicts"


def _links(fitted: Fitted) -> list[Notice]:
    """Links that cannot exist, of a model that does not promise that they can."""
    impossible = impossible_links(fitted)
    if fitted.consistent or not impossible:
        return []
    said = (
        f"no body can have the parameters of {', '.join(impossible)}: they predict torques of "
        "motions like these, and nothing else"
    )
    hint = "do not simulate or export these links; fit with model sdp for links that can exist"
    return [Notice(code="links-impossible", message=said, hint=hint)]


def _excitation(data: Identifiability) -> list[Notice]:
    if data.rank < data.structural_rank:
        said = f"the data show {data.rank} of {data.structural_rank} base parameters"
        said += f"; not determined: {data.worst}" if data.worst else ""
        hint = "predictions of other motions are not to be trusted; record a richer motion"
        return [Notice(code="rank-deficient", message=said, hint=hint)]
    if data.condition is None or data.condition > _HIGH_CONDITION:
        much = "very high" if (data.condition or 1e99) > _VERY_HIGH_CONDITION else "high"
        shown = "infinite" if data.condition is None else f"{data.condition:.3g}"
        said = f"the condition number is {much}, {shown}"
        said += f"; determined worst: {data.worst}" if data.worst else ""
        hint = "record a motion that excites it"
        return [Notice(code="high-condition", message=said, hint=hint)]
    return []


def _overfit(fitted: Fitted, split: str) -> list[Notice]:
    ratios = error_ratios(fitted.metrics, split)
    hint = "record more like it for training, or compare temperatures and payloads"
    return [
        Notice(
            code="held-out-worse",
            message=f"the share of the torque that is not explained is {times(ratio)} times that "
            "of the training data: too many parameters, or other conditions",
            joint=joint,
            hint=hint,
        )
        for joint, ratio in ratios.items()
        if ratio is not None and ratio > _OVERFIT
    ]


def _edges(choices: Sequence[Choice]) -> list[Notice]:
    """What choosing widths says of the terms; of one that is not needed its width says nothing."""
    return [
        Notice(
            code="term-not-needed",
            message=f"{choice.term} takes away no more of the error than chance, at any width",
            joint=choice.owner,
            hint="leave this term out, or record motion that shows it",
        )
        if not choice.needed
        else Notice(
            code="width-at-edge",
            message=f"the best width of {choice.term} is the last one tried, {choice.chosen:g}",
            joint=choice.owner,
            hint="widen the grid of candidates",
        )
        for choice in choices
        if choice.at_edge or not choice.needed
    ]
