"""Where a parametrised fit begins: random links, the robot file, or a given solution."""

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.fitting.entries import Entries
from robotid.fitting.pseudo_inertias import LENGTH, moved_inside
from robotid.spatial.inertia import random_phi

Array = NDArray[np.float64]
MARGIN = 1e-7  # radii of gyration are at least its root times 0.1 m: 32 µm
_MASS_SPREAD = 1.0  # standard deviation of the logarithm of the mass [kg]
_JOINT_SPREAD = 0.1  # standard deviation of the entries of joints


def random_start(entries: Entries, seed: int) -> Array:
    """Random rigid bodies, the same for every parametrisation.

    Masses are log-normal about 1 kg (two of three lie between 0.4 and 2.7 kg); each coordinate of
    the centre is normal with 0.1 m, and so are the positions of the points that give the inertia.
    Entries of joints are normal with 0.1.
    """
    rng = np.random.default_rng(seed)
    mass = np.exp(_MASS_SPREAD * rng.normal(size=entries.bodies))
    links = random_phi(mass, LENGTH, rng).numpy()
    own = _JOINT_SPREAD * rng.normal(size=entries.positive.size)
    start = entries.theta(np.concatenate([links.ravel(), np.zeros_like(own)]))
    start[entries.of_links :] = own
    return start


def published_start(entries: Entries, seed: int) -> Array:
    """Entries drawn about zero with the spread of the parametrisation's paper (see its table).

    A link may start with next to no mass, so this is harder than `random_start`.
    """
    generator = torch.Generator().manual_seed(seed)
    links = entries.parametrisation.random(generator, entries.bodies).numpy().ravel()
    return np.concatenate([links, random_terms(entries.positive.size, seed)])


def random_terms(count: int, seed: int) -> Array:
    """Entries of joints about zero, shape (count,)."""
    return _JOINT_SPREAD * np.random.default_rng(seed).normal(size=count)


def start_at(entries: Entries, phi: Array, margin: float = MARGIN) -> Array:
    """Given parameters, those of the robot file or of an SDP.

    Links on the boundary of consistency, or beyond it by a solver's tolerance, are moved inside by
    the margin, and positive parameters of joints are at least the margin: a square has no slope at
    zero. Parametrisations without full consistency take the links as they are.

    Args:
        entries: what theta holds.
        phi: ten parameters per body, then those of the joints, shape (p,).
        margin: see `MARGIN`.
    """
    given = np.array(phi, dtype=np.float64)
    if entries.parametrisation.guarantees.full:
        links = given[: 10 * entries.bodies].reshape(-1, 10)
        links[:] = moved_inside(links, margin)
    own = given[10 * entries.bodies :]
    own[entries.positive] = np.maximum(own[entries.positive], margin)
    return entries.theta(given)
