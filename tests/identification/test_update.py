"""`fit --update`: the same as a fit to old and new recordings at once, or refused."""

import json
import os
import shutil

import numpy as np
import pytest

from robotid.contracts.fit import FIT, DriveGain, read_fit
from robotid.contracts.information import read_information
from robotid.contracts.training import read_training
from robotid.errors import BadDataError
from robotid.identification.ranges import widest
from tests.conftest import run_process
from tests.identification.conftest import ARM, filtered, with_factors

EXACT = (
    {"model": "ols"},
    {"model": "wls"},
    {"model": "ridge"},
    {"model": "sdp"},
    {"model": "sdp", "prior": "gaussian"},
    {"model": "diffnea"},
    {"model": "diffnea", "inertia": "spd", "init": "prior"},
    {"model": "diffbary"},
    {"model": "wls", "essential": True},
)
WIDTHS = "coulomb(0.005,0.02,0.1)"


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Three short logs to be trained on one after the other, and a test; all with commands too."""
    folder = tmp_path_factory.mktemp("logs")
    for name, run, begin, end in (
        ("part1", "run1", 0, 1200),
        ("part2", "run1", 1200, 2400),
        ("part3", "run2", 0, 1200),
        ("run3", "run3", 0, 2400),
    ):
        header, *lines = (ARM / f"{run}.csv").read_text().splitlines()
        names = header.split(",")
        tau = [place for place, column in enumerate(names) if column.startswith("tau.")]
        names += [names[place].replace("tau.", "tau_cmd.") for place in tau]
        rows = [line.split(",") for line in lines[begin:end]]
        texts = [",".join(names), *(",".join([*row, *(row[p] for p in tau)]) for row in rows)]
        (folder / f"{name}.csv").write_text("\n".join(texts) + "\n")
    return folder


@pytest.fixture(scope="module")
def data(logs, tmp_path_factory):
    """Makes a dataset of some of the logs for training, with the same test each time."""
    made = {}

    def make(*parts, terms=None):
        if (parts, terms) not in made:
            folder = tmp_path_factory.mktemp("data")
            given = [*(logs / f"part{part}.csv" for part in parts), logs / "run3.csv"]
            robot, flags = ARM / "arm.urdf", ("--terms", terms) if terms else ()
            dataset = filtered(folder, given, robot, "--test", "run3")
            made[parts, terms] = with_factors(folder, dataset, robot, *flags)
        return made[parts, terms]

    return make


@pytest.fixture(scope="module")
def first(data, tmp_path_factory):
    """The folder of a fit to the first log."""
    return data(1).fit(tmp_path_factory.mktemp("first") / "fit", model="wls").folder


def beta(result):
    return np.array([parameter.value for parameter in result.base_parameters])


def close(found, wanted):
    """The same base parameters, to rounding.

    Where constraints or a prior hold a parameter, rounding moves it along directions that the data
    hardly know: there 1e-6 of a standard deviation is nothing.
    """
    names = [parameter.name for parameter in wanted.base_parameters]
    assert [parameter.name for parameter in found.base_parameters] == names
    off = beta(found) - beta(wanted)
    assert np.linalg.norm(off) <= 1e-9 * np.linalg.norm(beta(wanted))
    std = [np.array([p.std for p in result.base_parameters]) for result in (found, wanted)]
    assert (np.abs(off) <= 1e-6 * std[1]).all()
    np.testing.assert_allclose(std[0], std[1], rtol=1e-6)


@pytest.mark.parametrize("keys", EXACT, ids=lambda keys: "-".join(map(str, keys.values())))
def test_an_update_is_the_fit_to_all_data(data, tmp_path, keys):
    """One after the other, and once more on top of that."""
    whole = data(1, 2).fit(tmp_path / "whole", **keys).result
    before = data(1).fit(tmp_path / "one", **keys)
    found = data(2).fit(tmp_path / "two", update=before.folder, **keys)
    close(found.result, whole)
    assert found.result.samples == whole.samples
    assert found.result.independent == pytest.approx(whole.independent, rel=1e-12)
    for split, metrics in whole.metrics.items():
        for name, metric in metrics.items():
            now = found.result.metrics[split][name].joints
            assert now == pytest.approx(metric.joints, rel=1e-7)
    assert found.result.status.converged
    if keys.get("essential"):
        assert found.result.essential == whole.essential
    whole = data(1, 2, 3).fit(tmp_path / "all", **keys).result
    close(data(3).fit(tmp_path / "three", update=found.folder, **keys).result, whole)


def test_a_solver_that_is_less_exact_by_itself(data, tmp_path):
    """Exponential cones end at 1e-8 of their duality gap, wherever rounding leads them."""
    keys = {"model": "sdp", "prior": "divergence"}
    whole = data(1, 2).fit(tmp_path / "whole", **keys).result
    before = data(1).fit(tmp_path / "one", **keys).folder
    found = data(2).fit(tmp_path / "two", update=before, **keys).result
    assert np.linalg.norm(beta(found) - beta(whole)) <= 1e-6 * np.linalg.norm(beta(whole))


def test_baselines_noise_and_information_are_of_all_data(data, first, tmp_path):
    whole = data(1, 2).fit(tmp_path / "whole", model="wls")
    found = data(2).fit(tmp_path / "found", update=first, model="wls")
    assert found.result.noise == pytest.approx(whole.result.noise, rel=1e-9)
    for name, metrics in whole.result.baselines.items():
        for split in ("train", "test"):
            now = found.result.baselines[name][split]["nmse_range"].joints
            assert now == pytest.approx(metrics[split]["nmse_range"].joints, rel=1e-9)
    ours, theirs = (
        read_information(fit.folder / "information.safetensors") for fit in (found, whole)
    )
    assert ours.facts.count == theirs.facts.count
    gram = theirs.R.T @ theirs.R
    np.testing.assert_allclose(ours.R.T @ ours.R, gram, atol=1e-9 * np.abs(gram).max())


def test_no_sample_is_unaccounted_for(data, first, tmp_path):
    two = data(2).fit(tmp_path / "two", update=first)
    three = data(3).fit(tmp_path / "three", update=two.folder).result
    continued = three.continues
    assert [recording.name for recording in continued.recordings] == ["part1", "part2"]
    used = sum(recording.used.get("train", 0) for recording in three.data.values())
    assert used + continued.samples == three.samples["train"]
    assert continued.samples == sum(recording.samples for recording in continued.recordings)
    assert set(three.recordings) == {"part3", "run3"}
    facts = read_training(tmp_path / "three" / "training.safetensors").facts
    assert [recording.name for recording in facts.recordings] == ["part1", "part2", "part3"]
    assert facts.samples == three.samples["train"]
    assert "--update EARLIER_FIT" in three.provenance.commands[-1]
    assert "EARLIER_FIT" in three.provenance.placeholders
    ranges = widest(two.result.ranges, data(3).fit(tmp_path / "alone").result.ranges)
    assert three.ranges == ranges == widest(read_fit(first).ranges, ranges)


def test_other_models_than_before(data, first, tmp_path):
    """The earlier fit leaves its data, whatever it made of them."""
    whole = data(1, 2).fit(tmp_path / "whole", model="ridge", prior_std=0.1).result
    found = data(2).fit(tmp_path / "found", update=first, model="ridge", prior_std=0.1)
    close(found.result, whole)
    robust = data(1).fit(tmp_path / "robust", model="irls").folder
    after = data(2).fit(tmp_path / "after", update=robust, model="wls")
    close(after.result, data(1, 2).fit(tmp_path / "wls", model="wls").result)
    assert "earlier-was-robust" in after.codes()
    assert "earlier-was-robust" not in found.codes()


def test_widths_are_those_of_before(data, tmp_path):
    """Chosen once; later the same candidates may be given, or the chosen width alone."""
    terms = f"viscous,{WIDTHS},offset,rotor"
    before = data(1, terms=terms).fit(tmp_path / "before", terms=[terms])
    chosen = before.result.terms.joint_terms
    assert before.result.choices
    again = data(2, terms=terms).fit(tmp_path / "again", terms=[terms], update=before.folder)
    assert again.result.terms.joint_terms == chosen
    assert not again.result.choices
    texts = [f"{joint}={','.join(own)}" for joint, own in chosen.items()]
    flags = [flag for text in texts for flag in ("--joint-terms", text)]
    folder = tmp_path / "alone"
    folder.mkdir()
    alone = with_factors(folder, data(2).dataset, ARM / "arm.urdf", *flags)
    found = alone.fit(tmp_path / "found", joint_terms=texts, update=before.folder)
    close(found.result, again.result)
    (tmp_path / "both").mkdir()
    whole = with_factors(tmp_path / "both", data(1, 2).dataset, ARM / "arm.urdf", *flags)
    close(found.result, whole.fit(tmp_path / "whole", joint_terms=texts).result)


def refusal(answer):
    return answer.code, answer.json["error"]["code"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--model", "irls"], "model: irls weighs stretches"),
        (["--model", "diffnea", "--optimizer", "adam"], "optimizer: adam trains on samples"),
        (["--model", "diffnea", "--inertia", "nostr", "--optimizer", "adam"], "optimizer: adam"),
        (["--model", "nea", "--loss", "forward"], "loss: forward models"),
        (["--cv", "2"], "cv: folds leave out"),
        (["--intervals", "blocks"], "intervals: blocks"),
        (["--loaded", "part2", "--load", "1"], "loaded: gains"),
        (["--payload-of", "FIRST"], "payload_of: a load"),
    ],
)
def test_options_without_an_exact_update(robotid, data, first, flags, said):
    given = [first if flag == "FIRST" else flag for flag in flags]
    words = ("fit", data(2).dataset, "--robot", ARM / "arm.urdf", "--update", first, "--json")
    answer = robotid(*words, *given)
    assert refusal(answer) == (78, "no-exact-update")
    assert answer.json["error"]["message"].startswith(said)
    assert answer.json["error"]["hint"]


def test_data_about_something_else(robotid, data, first, tmp_path):
    words = ("fit", data(2).dataset, "--update", first, "--json")
    urdf = tmp_path / "arm.urdf"
    text = (ARM / "arm.urdf").read_text()
    urdf.write_text(text.replace('<axis xyz="0 1 0"', '<axis xyz="0 0.8 0.6"'))
    assert urdf.read_text() != text
    assert refusal(robotid(*words, "--robot", urdf)) == (65, "other-robot")
    words = (*words, "--robot", ARM / "arm.urdf")
    loaded = robotid(*words, "--payload", "forearm,0.5,0,0,0")
    assert refusal(loaded) == (65, "other-robot")
    assert "same payload" in loaded.json["error"]["hint"]
    terms = robotid(*words, "--terms", "viscous,offset")
    assert refusal(terms) == (65, "other-terms")
    assert "--terms viscous,coulomb,offset,rotor" in terms.json["error"]["hint"]
    widths = robotid(*words, "--terms", "viscous,coulomb(0.3),offset,rotor")
    assert refusal(widths) == (65, "other-terms")
    signal = robotid(*words, "--torque", "tau_cmd")
    assert refusal(signal) == (65, "other-signal")
    assert "torque tau" in signal.json["error"]["hint"]


def test_recordings_that_would_count_twice(robotid, data, first, tmp_path):
    """Also those that would only be the test, and those of fits before the earlier one."""
    robot = ("--robot", ARM / "arm.urdf", "--json")
    again = robotid("fit", data(1, 2).dataset, "--update", first, *robot)
    assert refusal(again) == (65, "same-recording")
    assert "part1" in again.json["error"]["message"]
    two = data(2).fit(tmp_path / "two", update=first).folder
    chained = robotid("fit", data(1).dataset, "--update", two, *robot)
    assert refusal(chained) == (65, "same-recording")


def changed(folder, out, **fields):
    """A copy of a fit with other facts."""
    shutil.copytree(folder, out)
    result = read_fit(folder).model_copy(update=fields)
    (out / FIT).write_text(result.model_dump_json())
    return out


def test_fits_that_cannot_be_continued(robotid, data, first, tmp_path):
    words = ("fit", data(3).dataset, "--robot", ARM / "arm.urdf", "--json", "--update")
    load = data(2).fit(tmp_path / "load", before=first).folder
    assert refusal(robotid(*words, load)) == (65, "earlier-carries-load")
    gains = [DriveGain(joint=joint, value=2.0, std=0.1) for joint in read_fit(first).joints]
    driven = changed(first, tmp_path / "driven", gains=gains)
    assert refusal(robotid(*words, driven)) == (65, "earlier-has-gains")
    old = changed(first, tmp_path / "old")
    (old / "training.safetensors").unlink()
    answer = robotid(*words, old)
    assert refusal(answer) == (65, "no-training-factors")
    assert "fit the earlier recordings again" in answer.json["error"]["hint"]
    damaged = changed(first, tmp_path / "damaged")
    numbers = bytearray((damaged / "training.safetensors").read_bytes())
    numbers[-3] ^= 1
    (damaged / "training.safetensors").write_bytes(numbers)
    assert refusal(robotid(*words, damaged)) == (65, "training-damaged")
    forward = tmp_path / "forward"
    flags = ("--model", "nea", "--loss", "forward", "--out", forward)
    made = robotid("fit", data(1).dataset, "--robot", ARM / "arm.urdf", *flags)
    assert made.code in (0, 4), made.err
    assert refusal(robotid(*words, forward)) == (65, "predicts-acceleration")


def test_a_new_dataset_needs_data_to_train_on(data, first, tmp_path):
    only_test = data(2)._replace(dataset=tmp_path / "data", factors=tmp_path / "factors")
    for folder, given in (
        (only_test.dataset, data(2).dataset),
        (only_test.factors, data(2).factors),
    ):
        shutil.copytree(given, folder)
        for index in folder.glob("*.json"):
            content = json.loads(index.read_text())
            if "splits" in content:
                content["splits"] = dict.fromkeys(content["splits"], "test")
                index.write_text(json.dumps(content))
    with pytest.raises(BadDataError, match="no data are left for training"):
        only_test.fit(tmp_path / "fit", update=first)


def test_a_pipeline_and_its_report(robotid, data, tmp_path):
    """A fit goes on from another one of the same file; what did not change is not run again."""
    path = tmp_path / "p.toml"
    path.write_text(
        "".join(
            f'[stages.{name}]\nstage = "fit"\ninputs.dataset = "{data(part).dataset}"\n'
            f'inputs.robot = "{ARM / "arm.urdf"}"\nmodel = "wls"\n{extra}'
            for name, part, extra in (
                ("monday", 1, ""),
                ("tuesday", 2, 'inputs.update = "@monday"\n'),
            )
        )
        + '[stages.report]\ninputs.fits = "@tuesday"\n'
    )
    answer = robotid("run", path, "--out", tmp_path / "out", "--json")
    assert answer.code in (0, 4), answer.err
    found = read_fit(tmp_path / "out" / "tuesday")
    close(found, data(1, 2).fit(tmp_path / "whole", model="wls").result)
    assert found.continues.fit_sha256 == found.provenance.inputs["update"][0]
    page = (tmp_path / "out" / "report" / "report.html").read_text()
    assert "of the earlier fit <code" in page
    assert found.continues.fit_sha256[:12] in page
    again = robotid("run", path, "--dry-run", "--json")
    assert {task["state"] for task in again.json["tasks"]} == {"hit"}


def test_a_fit_of_another_processor(data, tmp_path):
    """Kernels of linear algebra differ in last digits, also in how columns depend on others."""
    robot, fits = ARM / "arm.urdf", {}
    for name, parts, kernel, flags in (
        ("before", (1,), "Nehalem", ()),
        ("after", (2,), "Haswell", ("--update", tmp_path / "before")),
        ("whole", (1, 2), "Haswell", ()),
    ):
        env = {**os.environ, "OPENBLAS_CORETYPE": kernel}
        env["ROBOTID_CACHE_DIR"] = str(tmp_path / f"cache-{kernel}")
        fits[name] = tmp_path / name
        words = ("fit", data(*parts).dataset, "--robot", robot, "--model", "wls", *flags)
        answer = run_process(*words, "--out", fits[name], env=env)
        assert answer.code in (0, 4), answer.err
    close(read_fit(fits["after"]), read_fit(fits["whole"]))
