"""Fit folders made by hand: shipped robots with random consistent links and joint terms."""

import numpy as np

from robotid.contracts.fit import (
    FIT,
    FitResult,
    Identifiability,
    JointTerms,
    Parameter,
    RobotUsed,
    Status,
    Verdict,
)
from robotid.information.layout import TERMS, Layout
from robotid.models.rigid_body import parameter_names
from robotid.robot.load import load_robot
from robotid.robot.options import RobotOptions
from tests.reference_models import random_phi


def random_parameters(layout, seed=0, full=False):
    """Links that can exist, friction and rotors that can, offsets of either sign."""
    rng = np.random.default_rng(seed)
    links = np.array([random_phi(rng) for _ in range(layout.robot.bodies)])
    if full:
        links = np.column_stack([links[:, :4], rng.normal(size=(len(links), 9))])
    names = layout.names[10 * layout.robot.bodies :]
    own = [rng.uniform(0.05, 1.0) * (rng.choice([-1, 1]) if "offset" in n else 1) for n in names]
    return np.concatenate([links.ravel(), own])


def write_fit(folder, robot="panda", *, terms=TERMS, joint_terms=None, coupled=(), phi=None,
              options=None, full=False, seed=0,
              file=None, **changes):  # fmt: skip
    """A fit folder; `changes` are fields of `FitResult`. Returns the folder."""
    options = options or {}
    loaded = load_robot(file or robot, **RobotOptions(**options).changes())
    layout = Layout(loaded.tree, terms, joint_terms or {}, coupled)
    phi = random_parameters(layout, seed, full) if phi is None else np.asarray(phi)
    folder.mkdir(parents=True, exist_ok=True)
    name = "nominal.urdf" if loaded.description.format == "urdf" else "nominal.xml"
    (folder / name).write_bytes(loaded.data)
    names = parameter_names(layout, full=full)
    fields = {
        "model": "sdp",
        "robot": RobotUsed(
            name=loaded.tree.name, file=name, options=options, links=list(loaded.tree.links)
        ),
        "joints": list(loaded.tree.rows),
        "terms": JointTerms(**layout.arguments),
        "samples": {"train": 1000, "test": 500},
        "recordings": {"run1": "train", "run2": "test"},
        "split_by": "recording",
        "independent": 0.1,
        "noise": dict.fromkeys(loaded.tree.rows, 0.1),
        "status": Status(converged=True, message="solved"),
        "verdict": Verdict(usable=True, sentence="The fit can be used.", reasons=[]),
        "metrics": {},
        "baselines": {},
        "identifiability": Identifiability(rank=10, structural_rank=10, condition=30.0),
        "parameters": [
            Parameter(
                name=name,
                owner=name.rpartition(".")[0],
                unit="kg",
                value=float(value),
                std=0.01 if number % 2 else None,
                status="identified" if number % 2 else "in combination",
            )
            for number, (name, value) in enumerate(zip(names, phi, strict=True))
        ],
    }
    result = FitResult(**{**fields, **changes})
    (folder / FIT).write_text(result.model_dump_json(), encoding="utf-8")
    return folder
