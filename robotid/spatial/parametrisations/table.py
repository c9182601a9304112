"""The table of inertia parametrisations: unconstrained theta per link to link parameters phi."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from robotid.errors import ConfigError, nearest
from robotid.spatial.parametrisations import central, factored
from robotid.spatial.parametrisations.body import Body


class Guarantees(NamedTuple):
    """What holds for every theta, as far as rounding allows.

    Args:
        symmetric: the inertia is symmetric, so ten numbers are enough.
        mass_positive: m > 0.
        inertia_positive: the inertia about the centre of mass is positive definite.
        triangle: its principal moments satisfy the triangle inequalities.
    """

    symmetric: bool
    mass_positive: bool
    inertia_positive: bool
    triangle: bool

    @property
    def full(self) -> bool:
        """Whether some rigid body has these parameters: the pseudo-inertia is positive definite."""
        return all(self)


@dataclass(frozen=True)
class Parametrisation:
    """One way to write the parameters of a link.

    Args:
        name: in the table and after `--inertia`.
        summary: one line.
        guarantees: what every theta gives.
        components: names of the entries of theta.
        spread: standard deviation of each entry at a random start.
        forward: theta (..., size) to a `Body`.
        inverse: phi (..., 10) to theta (..., size).
    """

    name: str
    summary: str
    guarantees: Guarantees
    components: tuple[str, ...]
    spread: tuple[float, ...]
    forward: Callable[[Tensor], Body]
    inverse: Callable[[Tensor], Tensor]

    @property
    def size(self) -> int:
        """Entries of theta per link."""
        return len(self.components)

    def phi(self, theta: Tensor) -> Tensor:
        """Link parameters as `rnea` takes them, differentiable.

        Shape (..., size) to (..., 10); where the inertia need not be symmetric to (..., 13), with
        all its nine entries.
        """
        body = self.forward(theta)
        return body.phi() if self.guarantees.symmetric else body.phi_of_nine()

    def theta(self, phi: Tensor) -> Tensor:
        """A theta that gives phi back, shape (..., 10) to (..., size).

        Parameters on the boundary of what can be expressed, or nearer to it than the small
        constant in the map, are moved inside by that much (see each inverse); those beyond it are
        refused with a ConfigError that names the link.
        """
        return self.inverse(phi.detach())

    def random(
        self, generator: torch.Generator, links: int, dtype: torch.dtype = torch.float64
    ) -> Tensor:
        """A random start, shape (links, size): normal with mean zero and its spread."""
        shape, device = (links, self.size), generator.device
        normal = torch.randn(shape, generator=generator, dtype=dtype, device=device)
        return normal * torch.tensor(self.spread, dtype=dtype, device=device)


_NONE = Guarantees(symmetric=True, mass_positive=False, inertia_positive=False, triangle=False)
_FULL = Guarantees(symmetric=True, mass_positive=True, inertia_positive=True, triangle=True)
_FIRST = ("hx", "hy", "hz")
_LOWER = ("L11", "L22", "L33", "L21", "L31", "L32")
_SIX = ("xx", "xy", "yy", "xz", "yz", "zz")
# Of diffbary as in its paper, of nostr to cov as in their published code; for `moments` and `log`
# none is published, so these start like the others.
_MASS_AND_FIRST = (1.0, 0.1, 0.1, 0.1)

PARAMETRISATIONS: dict[str, Parametrisation] = {
    entry.name: entry
    for entry in (
        Parametrisation(
            name="nostr",
            summary="mass, first moment and any 3×3 matrix as inertia about the centre",
            guarantees=_NONE._replace(symmetric=False),
            components=("m", *_FIRST, *(f"Ic{row}{column}" for row in "xyz" for column in "xyz")),
            spread=_MASS_AND_FIRST + 9 * (0.1,),
            forward=central.by_moment(central.nostr),
            inverse=central.nostr_inverse,
        ),
        Parametrisation(
            name="free",
            summary="phi itself",
            guarantees=_NONE,
            components=("m", *_FIRST, *(f"I{entry}" for entry in _SIX)),
            spread=_MASS_AND_FIRST + 6 * (0.01,),
            forward=central.free,
            inverse=central.free_inverse,
        ),
        Parametrisation(
            name="symm",
            summary="positive mass, any symmetric inertia about the centre",
            guarantees=_NONE._replace(mass_positive=True),
            components=("sqrt_m", *_FIRST, *(f"Ic{entry}" for entry in _SIX)),
            spread=_MASS_AND_FIRST + 6 * (0.01,),
            forward=central.by_moment(central.symm),
            inverse=central.symm_inverse,
        ),
        Parametrisation(
            name="spd",
            summary="positive mass, positive definite inertia about the centre",
            guarantees=_FULL._replace(triangle=False),
            components=("sqrt_m", *_FIRST, *_LOWER),
            spread=_MASS_AND_FIRST + 6 * (0.01,),
            forward=central.by_moment(central.spd),
            inverse=central.spd_inverse,
        ),
        Parametrisation(
            name="tri",
            summary="principal moments as the sides of a triangle, axes by axis-angle",
            guarantees=_FULL,
            components=("sqrt_m", *_FIRST, "rx", "ry", "rz", "sqrt_J1", "sqrt_J2", "a"),
            spread=(*_MASS_AND_FIRST, 0.01, 0.01, 0.01, 0.1, 0.1, 0.01),
            forward=central.by_moment(central.tri),
            inverse=central.tri_inverse,
        ),
        Parametrisation(
            name="cov",
            summary="Cholesky factor of the second moments about the centre",
            guarantees=_FULL,
            components=("sqrt_m", *_FIRST, *_LOWER),
            spread=_MASS_AND_FIRST + 6 * (0.01,),
            forward=central.by_moment(central.cov),
            inverse=central.cov_inverse,
        ),
        Parametrisation(
            name="moments",
            summary="principal second moments as squares, axes by roll-pitch-yaw",
            guarantees=_FULL,
            components=("sqrt_m", "cx", "cy", "cz", "roll", "pitch", "yaw", "s1", "s2", "s3"),
            spread=(*_MASS_AND_FIRST, 0.01, 0.01, 0.01, 0.1, 0.1, 0.1),
            forward=central.by_centre(central.moments),
            inverse=central.moments_inverse,
        ),
        Parametrisation(
            name="log",
            summary="log-Cholesky factor of the pseudo-inertia",
            guarantees=_FULL,
            components=("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3"),
            spread=10 * (0.1,),
            forward=factored.log,
            inverse=factored.log_inverse,
        ),
        Parametrisation(
            name="diffbary",
            summary="Cholesky factor of the pseudo-inertia",
            guarantees=_FULL,
            components=tuple("abcdefghij"),
            spread=10 * (0.001,),
            forward=factored.diffbary,
            inverse=factored.diffbary_inverse,
        ),
    )
}


# Those of Sutanto et al.: in print by the first moment, in their published code by the centre.
_LINKS = {
    "nostr": central.nostr,
    "symm": central.symm,
    "spd": central.spd,
    "tri": central.tri,
    "cov": central.cov,
}
BY_MOMENT = tuple(_LINKS)


def by_centre(given: Parametrisation) -> Parametrisation:
    """One of `BY_MOMENT` with the centre of mass among its entries in place of the first moment."""

    def inverse(phi: Tensor) -> Tensor:
        theta = given.inverse(phi)
        return torch.cat([theta[..., :1], phi[..., 1:4] / phi[..., :1], theta[..., 4:]], -1)

    return replace(
        given,
        components=(given.components[0], "cx", "cy", "cz", *given.components[4:]),
        forward=central.by_centre(_LINKS[given.name]),
        inverse=inverse,
    )


def parametrisation(name: str) -> Parametrisation:
    """The parametrisation of that name."""
    if name not in PARAMETRISATIONS:
        said = f"there is no inertia parametrisation {name!r}"
        raise ConfigError("unknown-inertia", said, hint=nearest(name, PARAMETRISATIONS))
    return PARAMETRISATIONS[name]
