"""A forward model from data, whole: start, training, errors, verdict, files."""

from pathlib import Path

from safetensors.numpy import save_file

from robotid.contracts.fit import FIT, CurvePoint, Status
from robotid.contracts.forward import WEIGHTS, ForwardResult
from robotid.errors import ConfigError, Effect, Notice
from robotid.identification.data_used import data_used
from robotid.identification.files import remarks_of
from robotid.identification.forward.found import found
from robotid.identification.forward.made import made
from robotid.identification.forward.samples import TrainingData, training_data
from robotid.identification.forward.scored import judged, scored
from robotid.identification.identify import cut_notices
from robotid.identification.request import Request
from robotid.models.forward_models import ForwardModel
from robotid.robot.load import Loaded
from robotid.robot.tree import RobotTree
from robotid.training.adam import AdamOptions, train_adam
from robotid.training.history import Trained, thinned
from robotid.training.levenberg import LevenbergOptions, train_levenberg
from robotid.training.problem import Problem

_ENOUGH = 2000  # samples of which second-order steps take all derivatives
_FEW = 1000  # the same that tell when to stop


def learn(request: Request, loaded: Loaded, out_dir: Path) -> list[Notice]:
    """Learn a forward model and write its files."""
    options = request.options
    _check_held(request.ready.data.layout.robot)
    data = training_data(request)
    model = made(request, data.train)
    trained = None if options.model == "nea" else _trained(request, model, data)
    status = _status(trained)
    metrics, baselines = scored(request, model)
    verdict = judged(status, metrics, baselines)
    used = data_used(request)
    robot = request.ready.data.layout.robot
    notices = [
        *cut_notices(request),
        *(
            Notice(code=r.code, message=r.message, hint=r.hint, effect=Effect.QUALITY)
            for r in verdict.reasons
        ),
    ]
    result = ForwardResult(
        predicts="acceleration",
        model=options.model,
        options=request.stated_options(),
        robot=request.robot,
        joints=list(robot.joint_names),
        torque=request.torque,
        actuator=options.actuator,
        energy=model.energy_class,
        kinematics=options.kinematics,
        samples=dict(request.ready.data.samples),
        recordings=request.index.splits,
        split_by="segment" if request.index.intervals else "recording",
        status=status,
        verdict=verdict,
        metrics=metrics,
        baselines=baselines,
        curve=_curve(trained),
        data=used["data"],
        ranges=used["ranges"],
        provenance=used["provenance"],
        remarks=remarks_of(notices, verdict.reasons, request.index.splits),
        **found(model, robot),
    )
    (out_dir / FIT).write_text(result.model_dump_json(indent=1), encoding="utf-8")
    weights = {name: values.numpy().copy() for name, values in model.state_dict().items()}
    save_file(weights, out_dir / WEIGHTS)
    (out_dir / result.robot.file).write_bytes(loaded.data)
    return notices


def _check_held(robot: RobotTree) -> None:
    if robot.floating:
        said = f"loss: robot {robot.name} has a floating base, forward models have a fixed one"
        raise ConfigError("floating-robot", said, hint="fit torques, or hold the base")


def _trained(request: Request, model: ForwardModel, data: TrainingData) -> Trained:
    options, usual = request.options, request.options.usual
    if options.optimizer == "adam":
        how = AdamOptions(
            batch=usual.batch,
            learning_rate=usual.learning_rate,
            epochs=usual.epochs,
            patience=usual.patience,
            seed=options.seed,
        )
        return train_adam(Problem(model, data.train, data.validation), how)
    train, validation = data.train.evenly(_ENOUGH), data.validation.evenly(_FEW)
    steps = LevenbergOptions(steps=options.iterations)
    return train_levenberg(Problem(model, train, validation), steps)


def _status(trained: Trained | None) -> Status:
    if trained is None:
        return Status(converged=True, message="solved by linear regression")
    return Status(
        converged=trained.converged,
        message=trained.message,
        remedy=None if trained.converged else "more steps, another start or another seed",
        iterations=trained.steps,
    )


def _curve(trained: Trained | None) -> list[CurvePoint]:
    history = () if trained is None else trained.history
    return [
        CurvePoint(step=s.step, train=s.train, validation=s.validation) for s in thinned(history)
    ]
