"""Layers of a deep Lagrangian network with derivatives that are written out.

`along_layers` passes values and their derivative along a direction forward, `back_through_layers` a
gradient backward. Each gives its own derivatives in as few products as there are, into memory that
it has already: torch alone would need half as long again. Both can be differentiated once.

Samples are along the last axis, which is what matrix products are fastest with here.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

Activation = Literal["softplus", "tanh"]


class Passed(NamedTuple):
    """What a pass leaves: results (out, B), their derivative, slopes of inner layers (units, B)."""

    result: Tensor
    along: Tensor
    slopes: tuple[Tensor, ...]


def bent(z: Tensor, activation: Activation) -> Tensor:
    """f(z)."""
    return functional.softplus(z) if activation == "softplus" else torch.tanh(z)


def along_layers(
    h: Tensor,
    d: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    activation: Activation,
) -> Passed:
    """Through all layers: h ← f(W h + b), d ← f' ⊙ W d, and the last of them without f.

    Args:
        h: inputs, shape (in, B).
        d: their derivative along a direction, shape (in, B).
        weights: of the layers, shape (after, before) each.
        biases: of the layers, shape (after,) each.
        activation: f.
    """
    result, along, *slopes = _Along.apply(activation, h, d, *weights, *biases)  # type: ignore[no-untyped-call]
    return Passed(result, along, tuple(slopes))


def back_through_layers(
    gradient: Tensor, weights: Sequence[Tensor], slopes: Sequence[Tensor]
) -> Tensor:
    """The gradient with respect to the inputs, shape (in, B): g ← Wᵀ (f' ⊙ g).

    Args:
        gradient: with respect to the results, shape (out, B).
        weights: of the layers, shape (after, before) each.
        slopes: f' of the inner layers, shape (units, B) each.
    """
    found: Tensor = _Back.apply(gradient, *weights, *slopes)  # type: ignore[no-untyped-call]
    return found


class _Along(torch.autograd.Function):
    """Results, their derivatives and slopes of h, d, weights, biases."""

    @staticmethod
    def forward(
        ctx: Any, activation: Activation, h: Tensor, d: Tensor, *layers: Tensor
    ) -> tuple[Tensor, ...]:
        count = len(layers) // 2
        weights, biases = layers[:count], layers[count:]
        hs, ds, slopes = [h], [d], []
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            z = torch.addmm(bias[:, None], weight, hs[-1])
            hs.append(bent(z, activation))
            slopes.append(z.sigmoid_() if activation == "softplus" else 1 - hs[-1] ** 2)
            ds.append((weight @ ds[-1]).mul_(slopes[-1]))
        ctx.activation, ctx.count = activation, count
        ctx.save_for_backward(*weights, *hs, *ds, *slopes)
        result = torch.addmm(biases[-1][:, None], weights[-1], hs[-1])
        return (result, weights[-1] @ ds[-1], *slopes)

    @staticmethod
    def backward(
        ctx: Any, of_result: Tensor, of_along: Tensor, *of_slopes: Tensor
    ) -> tuple[Tensor | None, ...]:
        only_once()
        count, saved = ctx.count, ctx.saved_tensors
        weights, hs, ds = (saved[k * count : (k + 1) * count] for k in range(3))
        slopes = saved[3 * count :]
        of_weights, of_biases = [], []
        of_z, of_wd = of_result, of_along  # of W h + b and of W d
        for layer in reversed(range(count)):
            of_weights.append((of_z @ hs[layer].mT).addmm_(of_wd, ds[layer].mT))
            of_biases.append(of_z.sum(-1))
            if layer == 0:
                break
            of_h, of_d = weights[layer].mT @ of_z, weights[layer].mT @ of_wd
            slope = slopes[layer - 1]
            # What reaches f', times f': d = f' ⊙ W d has that factor already.
            bending = (of_d * ds[layer]).addcmul_(of_slopes[layer - 1], slope)
            of_wd = of_d.mul_(slope)
            if ctx.activation == "softplus":  # f'' = f' (1 − f')
                of_z = bending.lerp_(of_h, slope)
            else:  # f'' = −2 f f'
                of_z = of_h.mul_(slope).addcmul_(bending, hs[layer], value=-2)
        needed = zip((of_z, of_wd), ctx.needs_input_grad[1:3], strict=True)
        of_inputs = [weights[0].mT @ part if asked else None for part, asked in needed]
        return (None, *of_inputs, *reversed(of_weights), *reversed(of_biases))


class _Back(torch.autograd.Function):
    """Gradient with respect to the inputs, of that of the results, weights, slopes."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, *layers: Tensor) -> Tensor:
        weights, slopes = layers[: len(layers) // 2 + 1], layers[len(layers) // 2 + 1 :]
        gradients, found = [gradient], gradient  # before and after a slope
        for weight, slope in zip(reversed(weights[1:]), reversed(slopes), strict=True):
            gradients.append(weight.mT @ found)
            found = gradients[-1] * slope
        ctx.save_for_backward(*layers, *reversed(gradients))
        return weights[0].mT @ found

    @staticmethod
    def backward(ctx: Any, of_found: Tensor) -> tuple[Tensor, ...]:
        only_once()
        saved = ctx.saved_tensors
        count = (len(saved) + 1) // 3
        weights, slopes, gradients = saved[:count], saved[count:-count], saved[-count:]
        of_weights, of_slopes, of_gradient = [], [], of_found
        for weight, slope, gradient in zip(weights, slopes, gradients, strict=False):
            of_weights.append((gradient * slope) @ of_gradient.mT)
            of_product = weight @ of_gradient
            of_slopes.append(of_product * gradient)
            of_gradient = of_product.mul_(slope)
        of_weights.append(gradients[-1] @ of_gradient.mT)
        return (weights[-1] @ of_gradient, *of_weights, *of_slopes)


def only_once() -> None:
    """Refuse a graph of derivatives: what the passes keep has no history, so it would be wrong."""
    if torch.is_grad_enabled():
        raise RuntimeError("torques of deep Lagrangian networks can be differentiated only once")
