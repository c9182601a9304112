"""An earlier fit that a new one continues: its training data, and whether they may count as well.

Factors of old and new data stacked are those of all data at once, so what is fitted to them is what
a fit to all recordings would have found. That holds only for data about the same parameters, of
which no sample comes twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.factors import RobotFacts
from robotid.contracts.fit import FIT, TRAINING, FitResult, read_fit
from robotid.contracts.fit_data import Continued, JointRange
from robotid.contracts.training import TrainingFacts, read_training
from robotid.errors import BadDataError, ConfigError, Notice
from robotid.fitting.known_widths import widths_of
from robotid.identification.gathered import EarlierData, Gathered
from robotid.identification.term_flags import term_flags
from robotid.information.layout import Layout
from robotid.information.other_basis import in_basis_of
from robotid.information.recording import factors_in
from robotid.robot.options import RobotOptions
from robotid.robot.tree import RobotTree

_SHOWN = 5  # recordings that a message lists
# Changes to a robot that move masses between its bodies, unseen by the digest of its geometry.
_LOADS = ("lock", "chain", "payloads")


@dataclass(frozen=True, eq=False)
class Earlier:
    """What a fit takes from an earlier one.

    Args:
        stated: what the result says of it.
        layout: of the robot of the new fit, with the terms and widths of the earlier one.
        data: its training data.
        ranges: of these, by joint.
    """

    stated: Continued
    layout: Layout
    data: EarlierData
    ranges: Mapping[str, JointRange]

    def joined(self, data: Gathered) -> Gathered:
        """New data and those of the earlier fit; widths of the new ones are chosen already."""
        like = data.blocks[0].factors
        own = (in_basis_of(f, other) for f, other in zip(self.data.factors, like, strict=True))
        return replace(data, earlier=self.data._replace(factors=tuple(own)))

    def notices(self) -> list[Notice]:
        """What to know of a fit that continues this one."""
        if self.stated.model != "irls":
            return []
        said = "the earlier fit was robust; here all of its training data count in full"
        hint = "if parts of them were disturbed, fit all recordings at once with model irls"
        return [Notice(code="earlier-was-robust", message=said, hint=hint)]


def read_earlier(
    folder: Path,
    digest: str,
    layout: Layout,
    torque: str,
    changes: RobotOptions,
    dataset: DatasetIndex,
) -> Earlier:
    """Read the fit that is to be continued; one that cannot be is refused.

    Args:
        folder: of the earlier fit.
        digest: of that.
        layout: robot and terms of the new fit, maybe with candidates of widths.
        torque: the signal that stands for torque in the new fit.
        changes: to the robot file of the new fit.
        dataset: of the new fit.
    """
    fit = read_fit(folder)
    _check_kind(fit, folder)
    facts, rows = read_training(folder / TRAINING)
    own = _layout(facts.about, layout.robot, folder)
    _check_loads(fit, changes, folder)
    if facts.about.torque != torque:
        said = f"the earlier fit is of {facts.about.torque}, not of {torque}"
        hint = f"give torque {facts.about.torque}, or fit all recordings at once"
        raise BadDataError("other-signal", said, file=str(folder / FIT), hint=hint)
    _check_terms(layout, own, folder)
    _check_sources(facts, dataset, folder)
    factors = factors_in(facts.about, rows, 0, facts.samples)
    return Earlier(
        stated=Continued(
            fit_sha256=digest, model=fit.model, samples=facts.samples, recordings=facts.recordings
        ),
        layout=own,
        data=EarlierData(tuple(factors), facts.independent),
        ranges=fit.ranges,
    )


def _check_kind(fit: FitResult, folder: Path) -> None:
    file = str(folder / FIT)
    if fit.payload is not None:
        said = "the earlier fit is one of a load: its data are of the load, not of the robot alone"
        hint = "give the fit of the bare robot, as to that one (--payload-of)"
        raise BadDataError("earlier-carries-load", said, file=file, hint=hint)
    if fit.gains:
        said = "the earlier fit found gains of drives: with new data they would be others"
        hint = "fit all recordings at once"
        raise BadDataError("earlier-has-gains", said, file=file, hint=hint)
    if not (folder / TRAINING).exists():
        said = f"the earlier fit has no {TRAINING}: an older version of robotid wrote it"
        hint = "fit the earlier recordings again with this version, or all at once"
        raise BadDataError("no-training-factors", said, file=file, hint=hint)


def _layout(about: RobotFacts, robot: RobotTree, folder: Path) -> Layout:
    """The layout of the earlier fit for the robot of now, which has to be the same."""
    try:
        layout = Layout(robot, about.terms, about.joint_terms, about.coupled, about.forces)
    except ConfigError:  # terms of joints that this robot does not have
        raise _other_robot(about, robot, folder) from None
    if layout.digest != about.geometry_sha256 or list(layout.names) != about.parameters:
        raise _other_robot(about, robot, folder)
    return layout


def _other_robot(about: RobotFacts, robot: RobotTree, folder: Path) -> BadDataError:
    said = f"the earlier fit is of robot {about.robot}, {robot.name} has another geometry"
    hint = "give the same robot file, locks and gravity as to the earlier fit"
    return BadDataError("other-robot", said, file=str(folder / FIT), hint=hint)


def _check_loads(fit: FitResult, changes: RobotOptions, folder: Path) -> None:
    before, now = RobotOptions.model_validate(fit.robot.options).changes(), changes.changes()
    for key in _LOADS:
        if before[key] != now[key]:
            name = key.removesuffix("s")
            said = f"the earlier fit has another {name}: bodies of its robot have other masses"
            hint = f"give the same {name} as to the earlier fit, or fit all recordings at once"
            raise BadDataError("other-robot", said, file=str(folder / FIT), hint=hint)


def _check_terms(layout: Layout, own: Layout, folder: Path) -> None:
    if layout.forces != own.forces:
        said = f"the earlier fit is of other generalised forces ({own.forces.kind})"
        hint = "give the same rows, contacts and contact_links"
        raise BadDataError("other-forces", said, file=str(folder / FIT), hint=hint)
    picks = widths_of(layout, own)
    if picks is None or layout.choosing(picks)[0].own != own.own:
        said = "the earlier fit has other terms of joints, or other widths"
        hint = f"give the same ones: {term_flags(own)}"
        raise BadDataError("other-terms", said, file=str(folder / FIT), hint=hint)


def _check_sources(facts: TrainingFacts, dataset: DatasetIndex, folder: Path) -> None:
    known = {recording.source_sha256: recording.name for recording in facts.recordings}
    again = {
        name: known[recording.source_sha256]
        for name, recording in dataset.recordings.items()
        if recording.source_sha256 in known
    }
    if again:
        names = [new if new == old else f"{new} (there {old})" for new, old in again.items()]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        said = (
            f"the earlier fit was trained on {', '.join(names[:_SHOWN])}{more} already: "
            "samples would count twice, or be no test"
        )
        hint = "leave these recordings out of the new dataset"
        raise BadDataError("same-recording", said, file=str(folder / FIT), hint=hint)
