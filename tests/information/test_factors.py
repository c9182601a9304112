"""Factors against QR of the same rows: any data, threads, batches, blocks and order of merging."""

import itertools

import numpy as np
import pytest

from robotid.errors import BadDataError, UsageError
from robotid.information import stream
from robotid.information.factor import merge
from robotid.information.factorise import UNIT, Factoriser
from robotid.information.layout import TERMS, Layout
from robotid.information.reference import reference_factors
from robotid.information.stream import block_edges, factor_blocks
from robotid.information.system import assemble
from robotid.robot.load import load_robot
from tests.information.motions import MOTIONS, data_of
from tests.reference_models import random_tree

ROBOTS = {
    "panda": lambda: load_robot("panda").tree,
    "tree": lambda: random_tree(3, bodies=6, floating=False),
    "mixed": lambda: random_tree(5, bodies=5, floating=False),
    "floating": lambda: random_tree(6, bodies=4, floating=True),
}


@pytest.fixture(scope="module", params=ROBOTS)
def factoriser(request):
    made = Factoriser(Layout(ROBOTS[request.param](), TERMS), threads=2)
    yield made
    made.close()


def losses(W, tau, candidates):
    """Sums of squares from the samples themselves, in extended precision."""
    wide = np.longdouble
    errors = [tau.astype(wide) - W.astype(wide) @ phi.astype(wide) for phi in candidates]
    return np.array([float(e @ e) for e in errors])


def candidates_of(W, tau, phi):
    """The truth, zero, chance, the best fit, and steps along weak directions of the data."""
    norms = np.linalg.norm(W, axis=0)
    scale = np.where(norms > 1e-12 * norms.max(), norms, norms.max())  # others are rounding
    best = np.linalg.lstsq(W / scale, tau, rcond=1e-12)[0] / scale
    weak = np.linalg.svd(W / scale, full_matrices=True)[2] if len(W) < 3000 else None
    rng = np.random.default_rng(5)
    steps = [best + rng.normal(size=phi.size) * np.abs(phi).mean()]
    if weak is not None:
        steps += [
            phi + row / scale * np.linalg.norm(phi * scale) for row in weak[:: len(weak) // 5]
        ]
    return [phi, np.zeros_like(phi), rng.normal(size=phi.size), best, *steps]


@pytest.mark.parametrize("name", MOTIONS)
def test_losses_are_those_of_the_samples(factoriser, name):
    """1e-9 of the loss, for every phi, also where columns are dependent.

    Where terms are so large beside the loss that it is lost in the rounding of the columns (fewer
    samples than parameters, or steps along directions that hardly show), no method can give it:
    the error is then a small multiple of 1e-16 of the terms, more for a motion of 1e-4 rad/s, whose
    columns are 1e-8 of those of gravity.
    """
    rounding = 1e-11 if name == "tiny" else 1e-13
    layout = factoriser.layout
    data = data_of(layout, MOTIONS[name](layout.robot))
    factors, hints = factoriser.found(data.signals(layout), {})
    again = factoriser.found(data.signals(layout), hints).factors
    for row, (factor, other) in enumerate(zip(factors, again, strict=True)):
        columns, W, tau = layout.columns[row], data.W[row], data.tau[:, row]
        candidates = candidates_of(W, tau, data.phi[columns])
        for own, true in zip(candidates, losses(W, tau, candidates), strict=True):
            phi = np.zeros(layout.parameters)
            phi[columns] = own
            size = np.linalg.norm(W, axis=0) @ np.abs(own) + np.linalg.norm(tau)
            lost = 2 * rounding * size * np.sqrt(true) + (rounding * size) ** 2
            for each in (factor, other):
                assert abs(each.loss(phi) - true) <= max(1e-9 * true, lost)
                assert np.array_equal(each.R, np.triu(each.R))
        assert factor.count == len(tau)
        assert factor.mean == pytest.approx(tau.mean(), rel=1e-12, abs=1e-12)
        assert factor.variance == pytest.approx(tau.var(), rel=1e-9, abs=1e-12 * factor.power)
        assert (factor.lowest, factor.highest) == (tau.min(), tau.max())


@pytest.mark.parametrize("name", ["random", "excited", "slow", "tiny", "one joint", "still"])
def test_losses_residuals_and_covariances_are_those_of_dense_qr(factoriser, name):
    """To 1e-9 relative, also of the whole weighted problem.

    Covariances of base parameters are compared where they exist: on motions that excite them.
    """
    layout = factoriser.layout
    data = data_of(layout, MOTIONS[name](layout.robot))
    factors = factoriser(data.signals(layout))
    reference = reference_factors(layout, *data.motion, data.tau)
    phi = data.phi * np.random.default_rng(0).uniform(0.5, 1.5, data.phi.size)
    for factor, other in zip(factors, reference, strict=True):
        assert factor.loss(phi) == pytest.approx(other.loss(phi), rel=1e-9)
        assert factor.rmse(phi) == pytest.approx(other.rmse(phi), rel=1e-9)
        ours, theirs = factor.triangle, np.abs(np.diag(other.R)[:1])
        assert abs(ours[0, 0]) == pytest.approx(theirs[0], rel=1e-9)
    weights = {
        row: 1.0 / factor.rmse(data.phi) for row, factor in zip(layout.rows, factors, strict=True)
    }
    system = assemble(factors, layout.parameters, weights)
    dense = assemble(reference, layout.parameters, weights)
    assert system.loss(phi) == pytest.approx(dense.loss(phi), rel=1e-9)
    assert system.count == dense.count == data.tau.size
    if name in ("random", "excited"):
        kept = base_columns(layout)
        ours, theirs = system.restricted(kept), dense.restricted(kept)
        np.testing.assert_allclose(ours.rho, theirs.rho, rtol=1e-9)
        scale = np.sqrt(np.outer(*2 * [np.diag(theirs.covariance())]))
        condition = theirs.singular_values[0] / theirs.singular_values[-1]
        # The parameters themselves depend on rounding by the condition number, with QR as well.
        assert np.abs(ours.covariance() / scale - theirs.covariance() / scale).max() < (
            1e-9 + 1e-15 * condition**2
        )
        error = np.abs(ours.solution() - theirs.solution()) / np.sqrt(np.diag(theirs.covariance()))
        assert error.max() < 1e-6


def base_columns(layout):
    """Columns independent for every motion and all rows together."""
    from scipy.linalg import qr

    from robotid.information.regressor import random_motion, row_columns

    rows = row_columns(layout, random_motion(layout.robot, 300, 9))
    whole = np.zeros((300 * len(rows), layout.parameters))
    for row, (W, columns) in enumerate(zip(rows, layout.columns, strict=True)):
        whole[300 * row : 300 * (row + 1), columns] = W
    norms = np.linalg.norm(whole, axis=0)
    norms[norms < 1e-12 * norms.max()] = np.inf  # rounding
    R, order = qr(whole / norms, mode="r", pivoting=True)
    return np.sort(order[: np.count_nonzero(np.abs(np.diag(R)) > 1e-9)])


@pytest.mark.parametrize("name", ["excited", "slow"])
def test_threads_change_no_bit(name, monkeypatch):
    monkeypatch.setattr(stream, "SEGMENT", 400)  # many, so that threads do overtake each other
    layout = Layout(ROBOTS["tree"](), TERMS)
    signals = data_of(layout, MOTIONS[name](layout.robot)).signals(layout)
    edges = [0, 1000, signals.shape[1]]
    results = []
    for threads in (1, 2, 3, 7):
        made = Factoriser(layout, threads=threads)
        results.append(list(factor_blocks(made, [signals], edges)))
        made.close()
    for other in results[1:]:
        for ours, theirs in zip(itertools.chain(*results[0]), itertools.chain(*other), strict=True):
            assert np.array_equal(ours.R, theirs.R)


def test_batches_change_no_bit(monkeypatch):
    """However the samples are read, they are worked on in the same pieces."""
    monkeypatch.setattr(stream, "SEGMENT", 1500)
    layout = Layout(ROBOTS["mixed"](), TERMS)
    data = data_of(layout, MOTIONS["excited"](layout.robot))
    signals, edges = data.signals(layout), [0, 1700, 1701, 5000]
    made = Factoriser(layout, threads=2)
    results = []
    for size in (1, 333, 1500, 1700, 5000):
        cuts = range(0, 5000, size) if size > 1 else [0, 1, 2, 1699, 4999]
        batches = [signals[:, a:b] for a, b in itertools.pairwise([*cuts, 5000])]
        results.append(list(factor_blocks(made, batches, edges)))
    made.close()
    assert [block[0].count for block in results[0]] == [1700, 1, 3299]
    for other in results[1:]:
        for ours, theirs in zip(itertools.chain(*results[0]), itertools.chain(*other), strict=True):
            assert np.array_equal(ours.R, theirs.R)
            assert (ours.count, ours.total) == (theirs.count, theirs.total)


@pytest.mark.parametrize("name", ["excited", "slow", "one joint"])
def test_any_cutting_and_merging_is_the_same(name):
    layout = Layout(ROBOTS["tree"](), TERMS)
    data = data_of(layout, MOTIONS[name](layout.robot))
    signals = data.signals(layout)
    made = Factoriser(layout, threads=2)
    whole = made(signals)
    cuts = [0, 3, 40, 900, 901, signals.shape[1] // 2, signals.shape[1]]
    parts = [made(np.ascontiguousarray(signals[:, a:b])) for a, b in itertools.pairwise(cuts)]
    made.close()
    rng = np.random.default_rng(0)
    phi = data.phi * rng.uniform(0.5, 1.5, data.phi.size)
    for row, expected in enumerate(whole):
        pieces = [part[row] for part in parts]
        nested = merge([merge(pieces[:2]), merge([pieces[5], merge(pieces[2:5])])])
        turned = merge([pieces[at] for at in rng.permutation(len(pieces))])
        for merged in (merge(pieces), nested, turned):
            assert merged.loss(phi) == pytest.approx(expected.loss(phi), rel=1e-9)
            assert merged.loss(0 * phi) == pytest.approx(expected.loss(0 * phi), rel=1e-9)
            assert merged.count == expected.count
            assert merged.total == pytest.approx(expected.total, rel=1e-12, abs=1e-9)
            assert (merged.lowest, merged.highest) == (expected.lowest, expected.highest)
        with pytest.raises(UsageError, match="same columns"):
            merge([expected, whole[(row + 1) % len(whole)]])


def test_weights_and_held_parameters():
    layout = Layout(ROBOTS["mixed"](), ("viscous",))
    data = data_of(layout, MOTIONS["random"](layout.robot))
    made = Factoriser(layout, threads=1)
    factors = made(data.signals(layout))
    made.close()
    weights = {row: 1.0 + number for number, row in enumerate(layout.rows)}
    system = assemble(factors, layout.parameters, weights)
    expected = sum(weights[f.row] ** 2 * f.loss(data.phi) for f in factors)
    assert system.loss(data.phi) == pytest.approx(expected, rel=1e-12)
    kept = [0, 3, layout.parameters - 1]
    held = system.restricted(kept, others=data.phi)
    assert held.loss(data.phi[kept]) == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(held.columns, kept)
    alone = data.phi.copy()
    alone[[i for i in range(alone.size) if i not in kept]] = 0.0
    assert system.restricted(kept).loss(data.phi[kept]) == pytest.approx(
        system.loss(alone), rel=1e-12
    )
    with pytest.raises(UsageError, match="base parameters"):
        system.solution()


def test_n27_values_that_are_no_numbers_are_refused():
    layout = Layout(ROBOTS["mixed"]())
    signals = data_of(layout, MOTIONS["few samples"](layout.robot)).signals(layout)
    made = Factoriser(layout, threads=1)
    for value, says in ((np.nan, "signal 2 has no finite value at sample 3"), (1e200, "too large")):
        bad = signals.copy()
        bad[2 if value != value else -1, 3] = value
        with pytest.raises(BadDataError, match=says):
            made(bad)
    made.close()


@pytest.mark.parametrize(
    ("samples", "blocks"),
    [(1, 1), (900, 4), (10_000, 16), (170_000, 17), (600_000, 60), (17_500_000, 64)],
)
def test_blocks_are_ten_seconds_and_sixteen_to_64_of_them(samples, blocks):
    edges = block_edges(samples, 1000.0)
    sizes = np.diff(edges)
    assert (edges[0], edges[-1], len(sizes)) == (0, samples, blocks)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize(
    ("samples", "rate_hz", "borders"),
    [
        (653, 30.0, [440, 514]),
        (653, 30.0, [1, 652]),
        (3, 1000.0, [1, 2]),
        (17_500_000, 1000.0, [100, 17_499_000]),
        (600_000, 1000.0, [450_000, 480_000]),
        (10_000, 1000.0, []),
    ],
)
def test_blocks_end_where_a_recording_was_cut(samples, rate_hz, borders):
    edges = block_edges(samples, rate_hz, borders)
    sizes = np.diff(edges)
    assert {0, *borders, samples} <= set(edges)
    assert sizes.min() > 0
    usual = len(block_edges(samples, rate_hz)) - 1
    assert usual - len(borders) <= len(sizes) <= min(64, usual + len(borders))
    # Besides, they are as long as ever.
    assert sizes.max() <= 2 * np.ceil(samples / usual)


def test_fewer_or_more_samples_than_announced():
    layout = Layout(ROBOTS["mixed"]())
    signals = data_of(layout, MOTIONS["few samples"](layout.robot)).signals(layout)
    made = Factoriser(layout, threads=1)
    with pytest.raises(BadDataError, match="ends after 7 of 9"):
        list(factor_blocks(made, [signals], [0, 9]))
    with pytest.raises(BadDataError, match="more than 5"):
        list(factor_blocks(made, [signals], [0, 5]))
    made.close()


def test_units_are_whole_batches():
    from robotid.information.lanes import LANES

    assert UNIT % LANES == 0
