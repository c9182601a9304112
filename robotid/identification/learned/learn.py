"""A learned torque model from data, whole: start, training, errors, verdict, files."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file

from robotid.contracts.fit import FIT, CurvePoint, JointTerms, Status
from robotid.contracts.forward import WEIGHTS
from robotid.contracts.learned import (
    Architecture,
    LearnedMass,
    LearnedResult,
    Learning,
)
from robotid.contracts.residuals import Excerpt, write_residuals
from robotid.contracts.versions import KINODYNAMIC, LAGRANGIAN
from robotid.errors import BadDataError, ConfigError, Effect, Notice
from robotid.evaluation.excerpts import excerpt as excerpt_of
from robotid.evaluation.remarks import remarks
from robotid.evaluation.verdict import Fitted, judge
from robotid.fitting.learned_options import usual_training
from robotid.fitting.options import FitOptions
from robotid.identification.data_used import data_used
from robotid.identification.files import remarks_of
from robotid.identification.forward.found import actuator_table
from robotid.identification.identify import cut_notices
from robotid.identification.learned.floating import learned_mass
from robotid.identification.learned.rigid_part import rigid_part
from robotid.identification.learned.scored import compared, scored
from robotid.identification.learned.started import (
    RigidFit,
    architecture_of,
    freeze,
    rigid_fit,
    started,
)
from robotid.identification.learned.stretches import TorqueData, torque_data
from robotid.identification.learned.warm import begin_with
from robotid.identification.protocol import online_points, target_notices
from robotid.identification.request import Request
from robotid.models.deep_lagrangian import DeepLagrangian
from robotid.models.floating.lagrangian import FloatingLagrangian
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned.torques import LearnedTorques
from robotid.models.learning import error_units
from robotid.robot.load import Loaded
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.adam import AdamOptions, Target, train_adam
from robotid.training.history import Trained, thinned
from robotid.training.motions import MotionTask, errors_by_joint
from robotid.training.online import excerpt, train_online

_ONE_RATE = 1.01  # of the least rate: what counts as the same
_MUCH = 0.1  # of the training samples: what is left out without a word
_FEW_STEPS = 10  # of an epoch: a smaller batch would learn more from the same data


class EarlierFit(NamedTuple):
    """The folder of an earlier fit, and its digest."""

    path: Path
    digest: str


def learn(
    request: Request, loaded: Loaded, out_dir: Path, earlier: EarlierFit | None = None
) -> list[Notice]:
    """Learn a model of torques and write its files; an earlier fit is where it begins."""
    options = request.options
    device = device_of(options.device)
    rigid = rigid_fit(request)
    architecture = architecture_of(options, rigid.layout.robot)
    length = options.sequence if architecture.residual == "lstm" else 1
    rate_hz = rate_of(request, remembers=length > 1)
    data = torque_data(request, rigid.layout, length)
    model = started(request, architecture, data.train, rigid)
    if earlier is not None:
        begin_with(earlier.path, model, architecture, rigid.layout)
    _put_on(model, device)
    task, trained = _trained(request, architecture, model, data)
    model.cpu()
    status = _status(trained)
    errors, beside = scored(request, model, data.by_split, rigid), compared(request, rigid)
    found = rigid_part(model, rigid, request.ready.data)
    units = rigid.layout.robot.torque_units
    judged = Fitted(
        status=status,
        metrics=errors.metrics,
        baselines=beside,
        links=found["links"],
        consistent=bool(found["links"]) and parametrisation(architecture.inertia).guarantees.full,
        units=units,
    )
    verdict = judge(judged, request.gates)
    notices = [
        *cut_notices(request),
        *_of_training(task, request),
        *target_notices(options, status, errors.metrics),
        *remarks(judged),
        *(
            Notice(code=r.code, message=r.message, hint=r.hint, effect=Effect.QUALITY)
            for r in verdict.reasons
        ),
    ]
    result = LearnedResult(
        model=KINODYNAMIC if architecture.body == "kinodynamic" else options.model,
        options=request.stated_options(),
        robot=request.robot,
        joints=list(rigid.layout.robot.rows),
        torque=request.torque,
        samples=dict(request.ready.data.samples),
        recordings=request.index.splits,
        split_by="segment" if request.index.intervals else "recording",
        status=status,
        verdict=verdict,
        metrics=errors.metrics,
        baselines=beside,
        curve=[
            CurvePoint(step=s.step, train=s.train, validation=s.validation, formulas=s.formulas)
            for s in thinned(trained.history)
        ],
        online=online_points(trained.online, rigid.layout.robot.rows),
        architecture=architecture,
        terms=JointTerms(**rigid.layout.arguments),
        learning=Learning(
            units=task.units,
            length=length,
            rate_hz=rate_hz,
            left_out=task.left_out,
            validated_by=data.validated_by,
            batch=options.usual.batch,
            epochs=trained.steps,
            best_epoch=trained.kept,
            weights=sum(values.numel() for values in model.parameters() if values.requires_grad),
            device=device if _has_networks(model) else "cpu",
            began_with=None if earlier is None else earlier.digest,
        ),
        without_residual=errors.without_residual,
        parts=errors.parts,
        beyond=errors.beyond,
        blocks=errors.blocks,
        mass=_mass(model, data, rigid),
        actuator_values=actuator_table(model.actuator, rigid.layout.robot),
        gains=list(request.ready.gains),
        **data_used(request),
        remarks=remarks_of(notices, verdict.reasons, request.index.splits),
        **found,
    )
    (out_dir / FIT).write_text(result.model_dump_json(indent=1), encoding="utf-8")
    weights = {name: values.detach().clone() for name, values in model.state_dict().items()}
    save_file(weights, out_dir / WEIGHTS)
    write_residuals(out_dir, _residuals(request, LearnedTorques(rigid.layout, model)))
    (out_dir / result.robot.file).write_bytes(loaded.data)
    return notices


def _residuals(request: Request, model: LearnedTorques) -> Excerpt:
    """Measured and predicted torques; a memory begins each window at rest."""
    given = request.ready.gains
    return excerpt_of(
        request.folder,
        request.index,
        model.layout.robot,
        model.torque,
        torque=request.torque,
        gains=np.array([gain.value for gain in given]) if given else None,
    )


def rate_of(request: Request, *, remembers: bool) -> float:
    """Samples per second of the data; a memory needs one rate of all of them."""
    rates = {name: facts.rate_hz for name, facts in request.index.recordings.items()}
    least, most = (f(rates, key=lambda name: rates[name]) for f in (min, max))
    if remembers and rates[most] > _ONE_RATE * rates[least]:
        said = f"{least} has {rates[least]:g} samples per second, {most} {rates[most]:g}"
        hint = "filter to one rate (rate_hz), or take a model without memory"
        raise BadDataError("rates-differ", said, hint=hint)
    return float(np.median(list(rates.values())))


def device_of(asked: str) -> str:
    """The device that networks run on."""
    there = torch.cuda.is_available()
    if asked == "gpu" and not there:
        said = "device: a GPU is asked for, and torch finds none"
        raise ConfigError("no-gpu", said, hint="use --device auto or cpu")
    return "cuda" if there and asked != "cpu" else "cpu"


def _put_on(model: InverseModel, device: str) -> None:
    """Networks go there; links, and energies of floating robots, stay where they are."""
    if model.residual is not None:
        model.residual.to(device)
    if isinstance(model.body, DeepLagrangian):
        model.body.to(device)


def _has_networks(model: InverseModel) -> bool:
    """Whether there is anything to put on a device."""
    return model.residual is not None or isinstance(model.body, DeepLagrangian)


def _trained(
    request: Request, architecture: Architecture, model: InverseModel, data: TorqueData
) -> tuple[MotionTask, Trained]:
    options, usual = request.options, request.options.usual
    how = AdamOptions(
        batch=usual.batch,
        learning_rate=usual.learning_rate,
        epochs=usual.epochs,
        patience=usual.patience,
        seed=options.seed,
        schedule=usual.schedule,
        decay=options.decay,
        decay_after=options.decay_after,
        order=options.order,
    )
    tau = torch.cat([own.tau for own in data.train]).numpy()
    units = torch.from_numpy(error_units(tau, usual.loss_units))
    names = request.ready.data.layout.robot.rows
    if architecture.frozen and architecture.body in LAGRANGIAN:
        alone = InverseModel(model.body, model.joints, model.actuator)
        first = MotionTask(alone, data.train, data.validation, units, names=names)
        train_adam(first, _of_body(options, how), kept_as="body")
        freeze(model)
    task = MotionTask(
        model, data.train, data.validation, units, options.sequence, options.body_weight, names
    )
    if options.online:
        whole = [excerpt([own for stretches in data.by_split.values() for own in stretches])]
        return task, train_online(task, how, lambda: errors_by_joint(model, whole))
    target = None
    if options.target is not None:
        judged = data.validation if data.validated_by == "val" else data.train
        target = Target(options.target, lambda: errors_by_joint(model, judged))
    return task, train_adam(task, how, target=target, kept_as="training")


def _of_body(options: FitOptions, how: AdamOptions) -> AdamOptions:
    """How the energy of a hybrid is trained before its network: as many samples to a step."""
    usual = usual_training(options.rigid, options.rigid, "none")
    length = options.sequence if options.residual == "lstm" else 1
    return replace(how, batch=options.batch * length if options.batch else usual.batch)


def _mass(model: InverseModel, data: TorqueData, rigid: RigidFit) -> LearnedMass | None:
    if not isinstance(model.body, FloatingLagrangian):
        return None
    held = data.by_split.get("test") or data.by_split.get("val") or data.by_split["train"]
    return learned_mass(model.body, held, rigid.layout.robot)


def _status(trained: Trained) -> Status:
    said, _, remedy = trained.message.partition("; ")
    return Status(
        converged=trained.converged,
        message=said,
        remedy=remedy or None,
        iterations=trained.steps,
        reached=trained.reached,
    )


def _of_training(task: MotionTask, request: Request) -> list[Notice]:
    """What to know because of how much there was to train with."""
    batch, length = request.options.usual.batch, request.options.sequence
    found, steps = [], -(-task.units // batch)
    what = "samples" if task.length == 1 else "sequences"
    if steps < _FEW_STEPS:
        said = f"an epoch has {steps} steps: {task.units} {what} in batches of {batch}"
        smaller = max(1, task.units // 50)
        hint = f"a smaller batch, such as {smaller}, learns more in as many epochs"
        if batch <= smaller:
            hint = "record more, or train on shorter sequences"
        found.append(Notice(code="few-steps", message=said, hint=hint))
    every = task.left_out + task.units * task.length
    if task.left_out > _MUCH * every:
        said = (
            f"{task.left_out} of {every} training samples are in no sequence of {length}: they "
            "lie at the ends of stretches"
        )
        hint = "shorter sequences leave out less"
        found.append(Notice(code="samples-left-out", message=said, hint=hint))
    return found
