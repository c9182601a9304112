"""Forward fits and datasets made by hand: shipped robots as their files have them."""

import numpy as np
import torch
from safetensors.torch import save_file

from robotid.contracts.dataset import write_index
from robotid.contracts.fit import FIT, RobotUsed, Status, Verdict
from robotid.contracts.fit_data import JointRange
from robotid.contracts.forward import WEIGHTS, ForwardResult
from robotid.contracts.recording import FilterFacts, Joint, RecordingFacts, write_recording
from robotid.models.actuators.actuator import Scales
from robotid.models.actuators.table import ACTUATORS, actuator_model
from robotid.models.forward_models import NetworkForward, RigidForward, SignalScales
from robotid.robot.load import load_robot
from robotid.rollouts.integrate import Integration, integrate
from robotid.spatial.parametrisations.table import parametrisation

HIDDEN = (8,)
SPAN = JointRange(q=(-1.0, 1.0), qd=(-5.0, 5.0), qdd=(-50.0, 50.0), tau=(-0.1, 0.1))
RATE_HZ = 250.0


def rigid(robot="furuta", actuator="none", mass=1.0, larger=1.0):
    """The robot of the file with other masses, and an actuator with larger random parameters."""
    tree = load_robot(robot).tree
    sizes = Scales(*(x * torch.ones(tree.n).double() for x in (1.0, 5.0, 0.02, 0.02)))
    drive = actuator_model(actuator).made(sizes, 1, HIDDEN)
    with torch.no_grad():
        for values in drive.parameters():
            values.mul_(larger)
    free = parametrisation("free")
    return RigidForward(tree, free, free.theta(torch.tensor(mass * tree.phi)), drive)


def exploding(robot="furuta"):
    """A network whose acceleration grows with velocity, without a bound in sight."""
    n = load_robot(robot).tree.n
    one = torch.ones(n).double()
    scales = SignalScales(torch.zeros(3 * n).double(), torch.ones(3 * n).double(), 1e13 * one)
    return NetworkForward(scales, torch.Generator().manual_seed(0), HIDDEN)


def write_fit(folder, model, robot="furuta", **changes):
    """A fit folder of a forward model; `changes` are fields of `ForwardResult`."""
    loaded = load_robot(robot)
    tree = loaded.tree
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nominal.urdf").write_bytes(loaded.data)
    of_links = isinstance(model, RigidForward)
    kind = type(model.actuator) if of_links else None
    drive = next((name for name, one in ACTUATORS.items() if one.kind is kind), "none")
    fields = {
        "predicts": "acceleration",
        "model": "diffnea" if of_links else "ffnn",
        "options": {"inertia": "free", "hidden": list(HIDDEN)},
        "robot": RobotUsed(name=tree.name, file="nominal.urdf", options={}, links=list(tree.links)),
        "joints": list(tree.joint_names),
        "actuator": drive,
        "energy": model.energy_class,
        "samples": {"train": 1000},
        "recordings": {"run1": "train"},
        "split_by": "recording",
        "status": Status(converged=True, message="solved"),
        "verdict": Verdict(usable=True, sentence="The fit can be used.", reasons=[]),
        "metrics": {},
        "baselines": {},
        "ranges": dict.fromkeys(tree.joint_names, SPAN),
    }
    result = ForwardResult(**{**fields, **changes})
    (folder / FIT).write_text(result.model_dump_json(), encoding="utf-8")
    save_file({n: v.contiguous() for n, v in model.state_dict().items()}, folder / WEIGHTS)
    return folder


def write_dataset(
    folder, model, splits=("train", "test"), samples=500, gap_at=None, robot=None, **more
):
    """Recordings of a model under small commands; `gap_at` leaves out samples from there on.

    `more` are other facts of the recordings.
    """
    tree = robot or model.robot
    folder.mkdir(parents=True, exist_ok=True)
    random, found, count = np.random.default_rng(0), {}, len(splits)
    t = np.arange(samples) / RATE_HZ
    phase = random.uniform(0, 6, (count, tree.n))
    tau = 0.003 * np.sin(9 * t[:, None, None] + phase) * (np.arange(tree.n) == 0)
    start = [torch.from_numpy(random.uniform(-0.4, 0.4, (count, tree.n))) for _ in range(2)]
    one = torch.ones(tree.n).double()
    # The command of each step is what lies in its middle, as it is when motions are compared.
    held = torch.from_numpy(0.5 * (tau[:-1] + tau[1:]))
    done = integrate(
        model, *start, (one, 5 * one), Integration(1 / RATE_HZ, samples - 1),
        lambda time, q, qd: held[round(time * RATE_HZ)],
    )  # fmt: skip
    for number in range(count):
        signals = {"q": done.q[:, number].numpy(), "qd": done.qd[:, number].numpy()}
        signals["tau"] = tau[:, number]
        kept = np.ones(samples, bool)
        if gap_at is not None:
            kept[gap_at : gap_at + 20] = False
        columns = {"t": np.rint(1e9 * t).astype(np.int64)[kept]}
        for signal, values in signals.items():
            for place, joint in enumerate(tree.joint_names):
                columns[f"{signal}.{joint}"] = np.ascontiguousarray(values[kept, place])
        facts = RecordingFacts(
            joints=[Joint(name=name) for name in tree.joint_names],
            source_sha256="0" * 64,
            rate_hz=RATE_HZ,
            duration_s=float(t[-1]),
            samples=int(kept.sum()),
            filter=FilterFacts(cutoff_hz=5, order=4, memory_s=0.1, trimmed=0),
            **more,
        )
        write_recording(folder, columns, facts)
        (folder / "recording.parquet").rename(folder / f"run{number}.parquet")
        (folder / "recording.json").unlink()
        found[f"run{number}"] = facts
    write_index(folder, found, dict(zip(found, splits, strict=True)))
    return folder
