"""Training of torque models: equal results on any cores, taken up where it was killed."""

import copy
from dataclasses import replace

import pytest
import torch

from robotid import checkpoints
from robotid.models.deep_lagrangian import DeepLagrangian
from robotid.models.learned.inverse import InverseModel, Motion
from robotid.models.learned.residuals import LayeredResidual, MotionScales, RecurrentResidual
from robotid.training import checkpoint, motions
from robotid.training.adam import AdamOptions, Target, train_adam
from robotid.training.motions import MotionTask, Stretch, errors_by_joint, torque_of
from robotid.training.online import excerpt, train_online

N = 2
ONES = MotionScales(torch.zeros(3 * N).double(), torch.ones(3 * N).double(),
                    torch.ones(N).double())  # fmt: skip
HOW = AdamOptions(batch=8, learning_rate=1e-2, epochs=6, patience=6, schedule="step")


def stretch(count, seed, name="run"):
    """A torque with a memory: it follows the velocity with a delay."""
    generator = torch.Generator().manual_seed(seed)
    signals = [torch.randn(count, N, generator=generator).double() for _ in range(3)]
    tau, slow = torch.zeros(count, N).double(), torch.zeros(N).double()
    for row in range(count):
        slow = 0.8 * slow + 0.5 * signals[1][row]
        tau[row] = slow
    t = torch.arange(count).double() / 100
    return Stretch(name, t, Motion(*signals, torch.zeros(count, 0).double()), tau)


def task_of(remembers, train, validation, length=10):
    residual = RecurrentResidual(ONES, (8,), 6) if remembers else LayeredResidual(ONES, (8, 8))
    extent = torch.ones(N).double()
    return MotionTask(InverseModel(residual=residual), train, validation, extent, length)


@pytest.fixture
def data():
    return [stretch(205, 0), stretch(98, 1)], [stretch(120, 2)]


@pytest.mark.parametrize("remembers", [True, False])
def test_every_sample_is_trained_on_but_ends_that_are_too_short(data, remembers):
    task = task_of(remembers, *data)
    assert task.units == (20 + 9 if remembers else 303)
    assert task.left_out == (5 + 8 if remembers else 0)


@pytest.mark.parametrize("remembers", [True, False])
def test_gradients_are_those_of_one_pass(data, remembers, monkeypatch):
    """Shares in threads add up to what a plain backward pass gives."""
    monkeypatch.setattr(motions, "_LEAST", 1)
    task = task_of(remembers, *data)
    chosen = torch.randperm(task.units, generator=torch.Generator().manual_seed(3))[:21]
    loss = task.backward(chosen)
    shared = [values.grad.clone() for values in task.model.parameters()]
    task.model.zero_grad()
    units = task._data.at(chosen)
    plain = ((task.model(units.motion)[0] - units.tau) ** 2).mean()
    plain.backward()
    assert loss == pytest.approx(plain.item(), rel=1e-6)
    for own, values in zip(shared, task.model.parameters(), strict=True):
        torch.testing.assert_close(own, values.grad, rtol=1e-4, atol=1e-6)


def test_results_do_not_depend_on_threads(data, monkeypatch):
    found = []
    for cores in ("1", "4"):
        monkeypatch.setenv("ROBOTID_CORES", cores)
        task = task_of(True, *data)
        train_adam(task, HOW)
        found.append(task.model.state_dict())
    for name, values in found[0].items():
        assert torch.equal(values, found[1][name]), name


def test_energies_are_learned_alike_on_any_cores(data, monkeypatch):
    found = []
    for cores in ("1", "4"):
        monkeypatch.setenv("ROBOTID_CORES", cores)
        model = InverseModel(body=DeepLagrangian(N, torch.Generator().manual_seed(0), (30, 20)))
        task = MotionTask(model, *data, torch.ones(N).double())
        train_adam(task, AdamOptions(batch=100, epochs=3, patience=3))
        found.append(model.state_dict())
    for name, values in found[0].items():
        assert torch.equal(values, found[1][name]), name


def test_shares_of_large_batches_stay_small(data, monkeypatch):
    """At least as many as threads where there are units for them, more where samples are many."""
    task = task_of(True, *data)
    assert [task._shares(units) for units in (1, 15, 32, 64, 1000)] == [1, 1, 2, 4, 4]
    monkeypatch.setattr(motions, "_MOST", 100)
    assert [task._shares(units) for units in (1, 15, 32, 64, 1000)] == [1, 2, 4, 7, 100]
    monkeypatch.setattr(motions, "_MOST", 5)  # a sequence is not cut
    assert [task._shares(units) for units in (1, 15)] == [1, 15]


@pytest.mark.parametrize("most", [30, 4000])
def test_losses_do_not_depend_on_the_shares(data, most, monkeypatch):
    """Up to rounding in single precision."""
    monkeypatch.setattr(motions, "_MOST", most)
    task = task_of(True, *data)
    loss = task.backward(torch.arange(task.units))
    units = task._data.at(torch.arange(task.units))
    plain = ((task.model(units.motion)[0] - units.tau) ** 2).mean().item()
    assert loss == pytest.approx(plain, rel=1e-6)


def test_it_learns_what_only_a_memory_can_tell():
    data = [stretch(1000, 0)], [stretch(300, 1)]
    how = AdamOptions(batch=8, learning_rate=2e-2, epochs=40, patience=40, schedule="step")
    errors = {}
    for remembers in (True, False):
        task = task_of(remembers, *data, length=25)
        errors[remembers] = train_adam(task, how).loss
    assert errors[True] < 0.3 * errors[False]


def test_whole_stretches_side_by_side_are_as_one_by_one(data):
    model = task_of(True, *data).model
    together = torque_of(model, data[0])
    for own, parts in zip(data[0], together, strict=True):
        (alone,) = torque_of(model, [own])
        torch.testing.assert_close(parts.residual, alone.residual, rtol=1e-5, atol=1e-6)


class KilledError(Exception):
    pass


@pytest.mark.parametrize("remembers", [True, False])
def test_a_killed_training_goes_on_to_the_same_numbers(data, remembers, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_EVERY_S", 0.0)
    task = task_of(remembers, *data)
    wanted, epoch = train_adam(task, HOW), -(-task.units // HOW.batch)
    with checkpoints.kept_in(tmp_path / "kept"):
        for killed_in in (2 * epoch + 2, epoch + 1, None):
            again, step = task_of(remembers, *data), [0]
            plain = again.backward

            def backward(chosen, step=step, killed_in=killed_in, plain=plain):
                step[0] += 1
                if step[0] == killed_in:
                    raise KilledError
                return plain(chosen)

            again.backward = backward
            if killed_in:
                with pytest.raises(KilledError):
                    train_adam(again, HOW, kept_as="training")
            else:
                found = train_adam(again, HOW, kept_as="training")
    assert [s[:1] + s[2:] for s in found.history] == [s[:1] + s[2:] for s in wanted.history]
    assert step[0] == 3 * epoch
    for name, values in task.model.state_dict().items():
        assert torch.equal(values, again.model.state_dict()[name]), name


def test_a_torn_checkpoint_counts_as_none(data, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_EVERY_S", 0.0)
    with checkpoints.kept_in(tmp_path):
        train_adam(task_of(True, *data), HOW, kept_as="training")
        (kept,) = tmp_path.iterdir()
        kept.write_bytes(kept.read_bytes()[:-9])
        assert checkpoints.kept("training") is None
        train_adam(task_of(True, *data), HOW, kept_as="training")


def test_a_checkpoint_of_another_model_is_not_taken(data, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_EVERY_S", 0.0)
    with checkpoints.kept_in(tmp_path):
        train_adam(task_of(True, *data), HOW, kept_as="training")
        found = train_adam(task_of(False, *data), HOW, kept_as="training")
    assert found.history[1].step == 1


def test_a_loss_without_a_value_ends_with_the_best_and_says_where(data):
    train, validation = data
    bad = copy.deepcopy(train)
    bad[1].tau[55, 0] = torch.inf
    task = task_of(True, bad, validation)
    found = train_adam(task, HOW)
    assert not found.converged
    assert "in step" in found.message
    assert "the error of joint 1 in run at 0.550 s was not a finite number" in found.message
    assert all(torch.isfinite(values).all() for values in task.model.parameters())


def test_weights_that_are_no_numbers_are_not_blamed_on_a_sample(data):
    found = train_adam(task_of(False, *data), replace(HOW, learning_rate=1e30))
    assert not found.converged
    assert "the error of every sample was not a finite number" in found.message


def test_a_few_epochs_do_not_tell_that_a_training_converged(data):
    task = task_of(False, *data)
    short = train_adam(task, replace(HOW, epochs=2, learning_rate=1e-9))
    assert not short.converged
    assert "too few to tell" in short.message
    long = train_adam(task, replace(HOW, epochs=12, patience=12, learning_rate=1e-9))
    assert long.converged


@pytest.mark.parametrize("part", ["layers", "memory", "energy"])
def test_everything_is_computed_where_the_weights_are(data, part):
    """A device without numbers stands for a GPU: the first that leaves it, the torque, is missed."""
    body = residual = None
    if part == "energy":
        body = DeepLagrangian(N, torch.Generator().manual_seed(0), (8,)).to("meta")
    else:
        kind = RecurrentResidual(ONES, (8,), 6) if part == "memory" else LayeredResidual(ONES, (8,))
        residual = kind.to("meta")
    motion = data[0][0].motion
    if part == "memory":
        motion = Motion(*(values[None] for values in motion))
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        InverseModel(body, residual=residual)(motion)


def test_what_is_frozen_is_computed_once_and_stays(data):
    class Body(torch.nn.Module):
        calls = 0

        def __init__(self):
            super().__init__()
            self.gain = torch.nn.Parameter(torch.tensor(0.5).double(), requires_grad=False)

        def forward(self, q, qd, qdd):
            Body.calls += 1
            return self.gain * qd

    model = InverseModel(body=Body(), residual=LayeredResidual(ONES, (8,)))
    task = MotionTask(model, *data, torch.ones(N).double())
    before = Body.calls
    task.backward(torch.arange(100))
    assert Body.calls == before
    train_adam(task, HOW)
    assert float(model.body.gain) == 0.5
    units = task._data.at(torch.arange(5))
    torch.testing.assert_close(units.known, 0.5 * units.motion.qd)


class Speed(torch.nn.Module):
    """A body whose torque is a gain times the velocity."""

    def __init__(self, gain):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.tensor(gain).double())

    def forward(self, q, qd, qdd):
        del q, qdd
        return self.gain * qd


def test_errors_of_a_body_alone_can_count(data):
    """The gradient is that of both errors together."""
    units = torch.tensor([0.5, 2.0]).double()
    chosen = torch.arange(data[0][0].tau.shape[0])
    torch.manual_seed(0)
    model = InverseModel(Speed(0.1), residual=LayeredResidual(ONES, (8,)))
    task = MotionTask(model, *data, units, body_weight=3.0)
    found = task.backward(chosen)
    shared = [values.grad.clone() for values in model.parameters()]
    own = data[0][0]
    whole = (((model(own.motion)[0] - own.tau) / units) ** 2).mean()
    alone = (((model.body(*own.motion[:3]) - own.tau) / units) ** 2).mean()
    loss = whole + 3.0 * alone
    assert found == pytest.approx(loss.item(), rel=1e-6)
    for mine, theirs in zip(shared, torch.autograd.grad(loss, model.parameters()), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


def within(task, stretches, limit):
    return Target(limit, lambda: errors_by_joint(task.model, stretches))


def test_a_target_ends_training_with_what_reached_it(data, tmp_path, monkeypatch):
    """Killed after that, it ends in the same epoch: what is taken up again has reached it."""
    monkeypatch.setattr(checkpoint, "_EVERY_S", 0.0)
    how = AdamOptions(batch=20, learning_rate=1e-2, epochs=60, patience=60, schedule="step")
    _, validation = data
    limit = 0.85
    found = []
    with checkpoints.kept_in(tmp_path):
        for _ in range(2):
            torch.manual_seed(0)
            task = task_of(False, *data)
            target = within(task, validation, limit)
            found.append(train_adam(task, how, target=target, kept_as="training"))
            assert errors_by_joint(task.model, validation).max() <= limit
    first, again = found
    assert first.reached
    assert first.converged
    assert 0 < first.steps < 60
    assert first.message == f"reached nmse_var 0.85 on every joint in epoch {first.steps}"
    assert (again.steps, again.message, again.kept) == (first.steps, first.message, first.steps)


def test_a_target_that_is_not_reached_changes_nothing(data):
    torch.manual_seed(0)
    task = task_of(False, *data)
    other = copy.deepcopy(task.model)
    found = train_adam(task, HOW, target=within(task, data[1], 1e-9))
    assert found.reached is False
    plain = MotionTask(other, *data, torch.ones(N).double())
    wanted = train_adam(plain, HOW)
    assert found.message == wanted.message
    for name, values in other.state_dict().items():
        assert torch.equal(values, task.model.state_dict()[name]), name


def test_online_is_an_epoch_in_the_order_of_time(data):
    train, validation = data
    task = task_of(False, *data)
    other = copy.deepcopy(task.model)
    whole = [excerpt([*train, *validation])]
    found = train_online(task, HOW, lambda: errors_by_joint(task.model, whole))
    assert found.online[-1].samples == task.units
    assert found.kept == found.steps == 1
    assert found.history == ()
    how = AdamOptions(batch=8, epochs=1, patience=6, schedule="step", order="time")
    train_adam(MotionTask(other, *data, torch.ones(N).double()), how)
    for name, values in other.state_dict().items():
        torch.testing.assert_close(values, task.model.state_dict()[name])


def test_online_without_a_finite_error_keeps_what_it_had(data):
    train, validation = copy.deepcopy(data)
    train[1].tau[55, 0] = torch.inf
    task = task_of(False, train, validation)
    found = train_online(task, HOW, lambda: errors_by_joint(task.model, validation))
    assert not found.converged
    assert "diverged in step 33" in found.message  # sample 260, in batches of 8
    assert all(torch.isfinite(values).all() for values in task.model.parameters())


def test_a_killed_training_of_a_single_number_goes_on(data, tmp_path, monkeypatch):
    """Such as a scale of a Deep Lagrangian network: it has no axes."""

    class Gain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = torch.nn.Parameter(torch.tensor(0.5).double())

        def forward(self, q, qd, qdd):
            return self.gain * qd

    monkeypatch.setattr(checkpoint, "_EVERY_S", 0.0)
    extent = torch.ones(N).double()
    with checkpoints.kept_in(tmp_path):
        short = AdamOptions(batch=8, epochs=2, patience=6, schedule="step")
        train_adam(MotionTask(InverseModel(Gain()), *data, extent), short, kept_as="training")
        task = MotionTask(InverseModel(Gain()), *data, extent)
        found = train_adam(task, HOW, kept_as="training")
    assert [step.step for step in found.history] == list(range(7))
