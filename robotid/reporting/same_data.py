"""Fits can be compared when robot, joints and held-out recordings are the same."""

from collections.abc import Mapping, Sequence

from robotid.contracts.fit import AnyFit, BlockErrors, FitResult
from robotid.contracts.forces import Forces
from robotid.contracts.learned import LearnedResult
from robotid.errors import BadDataError

_SPLITS = ("train", "val", "test")


def names_in(fit: AnyFit, split: str) -> list[str]:
    """Names of the recordings with data in a split; one that was cut is in several.

    Which one was cut is known by the errors of its blocks; where a fit has none, it may be any.
    """
    if fit.split_by == "segment":
        return sorted({b.recording for b in blocks_of(fit) if b.split == split} or fit.recordings)
    return sorted(name for name, own in fit.recordings.items() if own == split)


def blocks_of(fit: AnyFit) -> list[BlockErrors]:
    """Errors of single stretches; fits of accelerations keep none."""
    return fit.blocks if isinstance(fit, FitResult | LearnedResult) else []


def recordings(fit: AnyFit, split: str) -> dict[str, str]:
    """Recordings of a split by what they are known by: the digest of the log, else the name.

    Where a recording was cut these are all: it is the whole of the data that has to be the same.
    """
    names = sorted(fit.recordings) if fit.split_by == "segment" else names_in(fit, split)
    digests = [fit.data[name].source_sha256 if name in fit.data else "" for name in names]
    unique = all(digests) and len(set(digests)) == len(digests)
    return dict(zip(digests if unique else names, names, strict=True))


def held_out_otherwise(fits: Mapping[str, AnyFit], split: str) -> bool:
    """Whether fits are of the same recordings, of which others are held out, as in a sweep."""
    every = [{k for s in _SPLITS for k in recordings(fit, s)} for fit in fits.values()]
    held = [set(recordings(fit, split)) for fit in fits.values()]
    return all(own == every[0] for own in every) and any(own != held[0] for own in held)


def common_recordings(fits: Mapping[str, AnyFit], split: str) -> dict[str, dict[str, str]]:
    """For each fit, its recordings of a split by keys that are the same in all fits."""
    found = {name: recordings(fit, split) for name, fit in fits.items()}
    first = next(iter(found))
    if any(bool(own) and not _digests(own) for own in found.values()):
        found = {name: {known: known for known in own.values()} for name, own in found.items()}
    for name, own in found.items():
        missing = [(first, name, found[first][key]) for key in found[first].keys() - own.keys()]
        missing += [(name, first, own[key]) for key in own.keys() - found[first].keys()]
        if missing:
            raise BadDataError(
                "recordings-differ",
                f"errors are of different recordings ({split}): {_listed(missing)}",
                hint="compare fits of one dataset, or report them one by one",
            )
    return found


def check_same_robot(fits: Mapping[str, AnyFit]) -> None:
    """Refuse fits of different robots or joints."""
    (first, known), *others = fits.items()
    for name, fit in others:
        if fit.robot.name != known.robot.name:
            raise BadDataError(
                "robots-differ",
                f"{first} is a fit of {known.robot.name!r}, {name} one of {fit.robot.name!r}",
                hint="only fits of one robot can be compared",
            )
        odd = sorted(set(fit.joints) ^ set(known.joints))
        if odd:
            raise BadDataError(
                "joints-differ",
                f"{first} and {name} have different joints: {', '.join(odd)}",
                hint="only fits of the same joints can be compared",
            )
        if forces_of(fit) != forces_of(known):
            raise BadDataError(
                "forces-differ",
                f"errors of {first} and {name} are of different generalised forces",
                hint="only fits with the same rows and contacts can be compared",
            )


def forces_of(fit: AnyFit) -> Forces:
    """Which generalised forces errors are of."""
    return fit.forces if isinstance(fit, FitResult) else Forces()


def _digests(own: Mapping[str, str]) -> bool:
    return any(key != name for key, name in own.items())


def _listed(missing: Sequence[tuple[str, str, str]]) -> str:
    """Which fit lacks which recordings of which other; names that both have are other logs."""
    there = {name for _, _, name in missing}
    both = sorted(name for name in there if len({m[0] for m in missing if m[2] == name}) > 1)
    said = [f"logs of the same name differ: {', '.join(both)}"] if both else []
    for owner, lacking in sorted({(owner, lacking) for owner, lacking, _ in missing}):
        names = sorted(m[2] for m in missing if m[:2] == (owner, lacking) and m[2] not in both)
        if names:
            said.append(f"{lacking} has no {', '.join(names)} of {owner}")
    return "; ".join(said)
