"""Fits that cannot be reported: said clearly, and nothing is written."""

import pytest

from robotid.contracts.fit import read_fit
from robotid.errors import BadDataError
from robotid.stages.contract import Source
from robotid.stages.report import ReportConfig, run
from tests.exporting.fits import write_fit
from tests.reporting.results import view


def report(out, *folders, **config):
    sources = [Source(folder.name, folder, "") for folder in folders]
    return run(ReportConfig(**config), {"fits": sources}, out)


@pytest.mark.parametrize(
    ("before", "after", "code", "said"),
    [
        ('"format":2', '"format":99,"news":1', "fit-other-version", "newer version of robotid"),
        ('"format":2', '"format":1', "fit-other-version", "older version of robotid"),
        ('"format":2', '"format":"two"', "bad-fit", "format: "),
        ('"rank":10', '"rank":"many"', "bad-fit", "identifiability.rank: "),
        ('"joints":[', '"joints":', "bad-fit", "Invalid JSON"),
    ],
)
def test_damage_is_told_from_another_version(tmp_path, before, after, code, said):
    folder = view(tmp_path / "fit").folder
    text = (folder / "fit.json").read_text()
    assert before in text
    (folder / "fit.json").write_text(text.replace(before, after))
    with pytest.raises(BadDataError) as caught:
        report(tmp_path, folder)
    assert caught.value.notice.code == code
    assert said in caught.value.notice.message
    assert caught.value.notice.file == str(folder / "fit.json")


@pytest.mark.parametrize("data", [b"", b"\0\1", b"{", b"[" * 100_000, b"[]", b'"\xff"'])
def test_what_is_no_fit(tmp_path, data):
    (tmp_path / "fit.json").write_bytes(data)
    with pytest.raises(BadDataError) as caught:
        read_fit(tmp_path)
    assert caught.value.notice.code == "bad-fit"


def test_nothing_half_written(tmp_path):
    good = view(tmp_path / "good").folder
    out = tmp_path / "out"
    out.mkdir()
    others = {
        write_fit(tmp_path / "crane", "pendulum"): "robots-differ",
        view(tmp_path / "x", recordings={"run1": "train", "a": "test"}).folder: "recordings-differ",
    }
    for other, code in others.items():
        with pytest.raises(BadDataError) as caught:
            report(out, good, other)
        assert caught.value.notice.code == code
        assert list(out.iterdir()) == []
