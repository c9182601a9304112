"""Derivatives that are written out are those of the layers."""

from itertools import pairwise

import pytest
import torch
from torch.func import jvp

from robotid.models.lagrangian_layers import along_layers, back_through_layers, bent

SIZES = [(3, 2), (3, 5, 2), (4, 6, 5, 3)]
BOTH = pytest.mark.parametrize("activation", ["softplus", "tanh"])
ALL = pytest.mark.parametrize("sizes", SIZES)


def drawn(sizes, batch=4):
    """Inputs, a direction, weights, biases."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape):
        values = torch.randn(*shape, generator=generator, dtype=torch.float64)
        return values.requires_grad_()

    pairs = list(pairwise(sizes))
    h, d = draw(sizes[0], batch), draw(sizes[0], batch)
    return h, d, [draw(after, before) for before, after in pairs], [draw(a) for _, a in pairs]


def plain(h, weights, biases, activation):
    """The layers as one would write them down."""
    for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
        h = bent(weight @ h + bias[:, None], activation)
    return weights[-1] @ h + biases[-1][:, None]


@BOTH
@ALL
def test_passes_are_derivatives_of_the_layers(sizes, activation):
    h, d, weights, biases = drawn(sizes)
    result, along, slopes = along_layers(h, d, weights, biases, activation)
    expected, derivative = jvp(lambda x: plain(x, weights, biases, activation), (h,), (d,))
    torch.testing.assert_close(result, expected)
    torch.testing.assert_close(along, derivative)
    gradient = torch.randn_like(result)
    (wanted,) = torch.autograd.grad(expected, h, gradient)
    torch.testing.assert_close(back_through_layers(gradient, weights, slopes), wanted)


@BOTH
@ALL
def test_derivatives_of_the_pass_forward(sizes, activation):
    """Against finite differences, for all that goes in and all that comes out."""
    h, d, weights, biases = drawn(sizes)
    count = len(weights)

    def outputs(h, d, *layers):
        found = along_layers(h, d, layers[:count], layers[count:], activation)
        return found.result, found.along, *found.slopes

    assert torch.autograd.gradcheck(outputs, (h, d, *weights, *biases))


@ALL
def test_derivatives_of_the_pass_back(sizes):
    _, _, weights, _ = drawn(sizes)
    gradient, _, _, _ = drawn([sizes[-1]])
    slopes = [drawn([units])[0] for units in sizes[1:-1]]

    def output(gradient, *layers):
        return back_through_layers(gradient, layers[: len(weights)], layers[len(weights) :])

    assert torch.autograd.gradcheck(output, (gradient, *weights, *slopes))


def test_second_derivatives_are_refused():
    """Rather than wrong: what the passes keep has no history."""
    h, d, weights, biases = drawn(SIZES[1])
    passed = along_layers(h, d, weights, biases, "softplus")
    back = back_through_layers(passed.result.detach(), weights, passed.slopes)
    for found in (passed.along, back):
        with pytest.raises(RuntimeError, match="only once"):
            torch.autograd.grad(found.sum(), weights[0], create_graph=True)


def test_a_graph_may_be_gone_through_twice():
    """Nothing that is kept is written over."""
    h, d, weights, biases = drawn(SIZES[2])
    result, along, slopes = along_layers(h, d, weights, biases, "softplus")
    loss = (back_through_layers(result * along, weights, slopes) ** 2).sum()
    first, again = (torch.autograd.grad(loss, [h, *weights], retain_graph=True) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        assert torch.equal(one, other)
