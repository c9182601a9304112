"""Forces of a mass matrix: of whole triangles, and their derivatives by finite differences."""

import pytest
import torch

from robotid.models.lagrangian_forces import factor, forces, triangle_of


def drawn(n, batch=3):
    """Raw entries and their derivative, velocities, accelerations, and where entries stand."""
    generator = torch.Generator().manual_seed(n)
    sizes = [n * (n + 1) // 2] * 2 + [n] * 2
    given = [torch.randn(size, batch, generator=generator).double() for size in sizes]
    return [x.requires_grad_() for x in given], triangle_of(torch.linspace(0.5, 3, n).double())


@pytest.mark.parametrize("n", [1, 2, 5])
def test_forces_are_those_of_whole_matrices(n):
    (raw, along, qd, qdd), triangle = drawn(n)
    tau, gradient = forces(raw, along, qd, qdd, triangle)
    for sample in range(raw.shape[1]):
        one = raw[:, sample].detach()

        def inertia(raw):
            C = torch.zeros(n, n).double()
            C[triangle.rows, triangle.columns] = factor(raw[:, None], triangle)[0][:, 0]
            return C @ C.mT

        H, changing = torch.func.jvp(inertia, (one,), (along[:, sample].detach(),))
        speed = qd[:, sample].detach()
        expected = H @ qdd[:, sample] + changing @ speed
        torch.testing.assert_close(tau[:, sample], expected)
        kinetic = torch.func.grad(lambda raw: -0.5 * speed @ inertia(raw) @ speed)  # noqa: B023
        torch.testing.assert_close(gradient[:, sample], kinetic(one))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_derivatives_of_forces(n):
    given, triangle = drawn(n)
    assert torch.autograd.gradcheck(lambda *x: forces(*x, triangle), given)


def test_second_derivatives_are_refused():
    given, triangle = drawn(2)
    tau, _ = forces(*given, triangle)
    with pytest.raises(RuntimeError, match="only once"):
        torch.autograd.grad(tau.sum(), given[0], create_graph=True)
