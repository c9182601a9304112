"""A learned torque model from data, whole: start, training, errors, verdict, files."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file

from robotid.contracts.fit import FIT, CurvePoint, JointTerms, Status
from robotid.contracts.forward import WEIGHTS
from robotid.contracts.learned import (
    Architecture,
    LearnedMass,
    LearnedParameter,
    LearnedResult,
    Learning,
)
from robotid.contracts.residuals import Excerpt, write_residuals
from robotid.contracts.versions import KINODYNAMIC, LAGRANGIAN
from robotid.dynamics.base_parameters import base_parameters
from robotid.dynamics.groupings import groupings
from robotid.errors import BadDataError, ConfigError, Effect, Notice
from robotid.evaluation.excerpts import excerpt as excerpt_of
from robotid.evaluation.remarks import remarks
from robotid.evaluation.verdict import Fitted, judge
from robotid.identification.data_used import data_used
from robotid.identification.files import remarks_of
from robotid.identification.forward.found import actuator_table
from robotid.identification.identify import cut_notices
from robotid.identification.learned.floating import learned_mass
from robotid.identification.learned.scored import compared, scored
from robotid.identification.learned.started import (
    RigidFit,
    architecture_of,
    freeze,
    parameters_of,
    rigid_fit,
    started,
)
from robotid.identification.learned.stretches import TorqueData, torque_data
from robotid.identification.learned.warm import begin_with
from robotid.identification.protocol import online_points, target_notices
from robotid.identification.request import Request
from robotid.identification.tables import link_table
from robotid.information.layout import Layout
from robotid.information.sizes import nominal
from robotid.models.floating.lagrangian import FloatingLagrangian
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.models.learned.torques import LearnedTorques
from robotid.models.learning import error_units
from robotid.robot.load import Loaded
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.adam import AdamOptions, Target, train_adam
from robotid.training.history import Trained, thinned
from robotid.training.motions import MotionTask, errors_by_joint
from robotid.training.online import excerpt, train_online

_ONE_RATE = 1.01  # of the least rate: what counts as the same
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
    if model.residual is not None:
        model.residual.to(device)
    task, trained = _trained(request, architecture, model, data)
    model.cpu()
    status = _status(trained)
    errors, beside = scored(request, model, data.by_split, rigid), compared(request, rigid)
    found = _found(model, rigid)
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
            device=device,
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
    if architecture.frozen and architecture.body in LAGRANGIAN:
        alone = InverseModel(model.body, model.joints, model.actuator)
        train_adam(MotionTask(alone, data.train, data.validation, units), how)
        freeze(model)
    weight = options.body_weight
    task = MotionTask(model, data.train, data.validation, units, options.sequence, weight)
    if options.online:
        whole = [excerpt([own for stretches in data.by_split.values() for own in stretches])]
        return task, train_online(task, how, lambda: errors_by_joint(model, whole))
    target = None
    if options.target is not None:
        judged = data.validation if data.validated_by == "val" else data.train
        target = Target(options.target, lambda: errors_by_joint(model, judged))
    return task, train_adam(task, how, target=target, checkpointed=True)


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
    batch = request.options.usual.batch
    steps = -(-task.units // batch)
    if steps >= _FEW_STEPS:
        return []
    said = f"an epoch has {steps} steps: {task.units} units in batches of {batch}"
    hint = f"a smaller batch, such as {max(1, task.units // 50)}, learns more in as many epochs"
    return [Notice(code="few-steps", message=said, hint=hint)]


def _found(model: InverseModel, rigid: RigidFit) -> dict[str, Any]:
    """Links, and the parameters of the rigid part beside those of an SDP."""
    if isinstance(model.body, KinodynamicBody):
        with torch.no_grad():
            links, poses = model.body.links().numpy(), model.body.placements().tolist()
        bare = Layout(model.body.robot, terms=())
        return {"links": link_table(bare, links.ravel()), "rigid": [], "placements": poses}
    phi = parameters_of(model)
    if phi is None:
        return {"links": [], "rigid": []}
    layout = rigid.layout
    base = base_parameters(layout.robot, **layout.arguments)
    names = [grouping.text() for grouping in groupings(base)]
    units = [layout.units[column] for column in base.independent]
    betas = [base.beta(values) for values in (phi, rigid.phi, nominal(layout))]
    size = float(np.linalg.norm(betas[1]))
    return {
        "links": link_table(layout, phi),
        "rigid": [
            LearnedParameter(name=name, unit=unit, value=value, sdp=other, nominal=given)
            for name, unit, value, other, given in zip(
                names, units, *(beta.tolist() for beta in betas), strict=True
            )
        ],
        "rigid_apart": float(np.linalg.norm(betas[0] - betas[1])) / size if size > 0 else None,
    }
