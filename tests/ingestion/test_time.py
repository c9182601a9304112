"""Times of logs: put in order where that is no guess, refused with the place where it is."""

import gzip

import numpy as np
import pytest

from robotid.errors import BadDataError, ConfigError, Effect
from tests.ingestion.conftest import table

PLAIN = {"q": {"columns": "q.{joint}"}, "tau": {"columns": "tau.{joint}"}}


def refusal(ingest, log, *arguments, **options):
    with pytest.raises(BadDataError) as error:
        ingest(log, *arguments, **options)
    return error.value.notice


def with_time(motion, t):
    return {**motion, "t": t}


def test_good_times_are_kept_to_the_nanosecond(ingest, motion):
    done = ingest(motion)
    np.testing.assert_array_equal(done.columns["t"], np.arange(200) * 10_000_000)
    assert not done.columns["segment"].any()
    assert done.facts.rate_hz == pytest.approx(100)
    assert done.facts.time.jitter < 1e-9
    assert done.notices == []


def test_b52_no_column_of_times(ingest, motion):
    del motion["t"]
    assert refusal(ingest, motion).code == "no-time"
    assert refusal(ingest, motion, PLAIN).code == "no-time"
    assert ingest(motion, rate_hz=100.0).facts.rate_hz == pytest.approx(100)
    done = ingest(motion, PLAIN, rate_hz=250.0)
    np.testing.assert_array_equal(done.columns["t"], np.arange(200) * 4_000_000)


@pytest.mark.parametrize(("unit", "per_second"), [("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_b53_unit_of_time(ingest, motion, unit, per_second):
    said = refusal(ingest, with_time(motion, motion["t"] * per_second))
    assert said.code == "odd-rate"
    assert f"in {unit}" in said.hint
    stamped = {"stamp": motion["t"] * per_second, "q.a": motion["q.a"], "tau.a": motion["tau.a"]}
    unknown = refusal(ingest, stamped, {**PLAIN, "time": {"column": "stamp"}})
    assert unknown.code == "no-time-unit"
    done = ingest(stamped, {**PLAIN, "time": {"column": "stamp", "unit": unit}})
    np.testing.assert_array_equal(done.columns["t"], np.arange(200) * 10_000_000)


def test_b53_a_unit_that_is_none(ingest, motion):
    with pytest.raises(ConfigError) as error:
        ingest(motion, {**PLAIN, "time": {"column": "t", "unit": "fortnight"}})
    assert error.value.notice.code == "unknown-unit"


def test_b54_repeated_samples(ingest, motion):
    twice = np.sort(np.concatenate([np.arange(200), [7, 7, 150]]))
    done = ingest({name: values[twice] for name, values in motion.items()})
    np.testing.assert_array_equal(done.columns["t"], np.arange(200) * 10_000_000)
    (found,) = done.notices
    assert found.code == "repeated-sample"
    assert "3 times" in found.message
    assert found.effect is Effect.NONE
    assert (done.facts.logged, done.facts.dropped) == (203, {"repeated-sample": 3})
    assert [finding.mended for finding in done.facts.findings] == [True]


def test_b55_same_time_other_values(ingest, motion):
    t = motion["t"].copy()
    t[50] = t[49]
    said = refusal(ingest, with_time(motion, t))
    assert (said.code, said.time) == ("duplicate-times", pytest.approx(0.49))
    assert said.line == 52
    done = ingest(with_time(motion, t), accept=("duplicate-times",))
    assert done.columns["t"].size == 199
    assert done.facts.dropped == {"time": 1}
    assert [n.effect for n in done.notices if n.code == "duplicate-times"] == [Effect.DATA_LOST]


def test_b56_samples_out_of_order(ingest, motion):
    order = np.arange(200)
    order[[60, 63]] = order[[63, 60]]
    shuffled = {name: values[order] for name, values in motion.items()}
    said = refusal(ingest, shuffled)
    assert said.code == "out-of-order"
    assert said.line == 63
    done = ingest(shuffled, accept=("out-of-order",))
    np.testing.assert_array_equal(done.columns["t"], np.arange(200) * 10_000_000)
    np.testing.assert_array_equal(done.columns["q.a"], motion["q.a"])
    assert "out-of-order" in done.codes


def test_b57_clock_set_back(ingest, motion):
    t = motion["t"].copy()
    t[120:] -= 3600.0
    done = ingest(with_time(motion, t))
    assert done.columns["t"].size == 200
    assert (np.diff(done.columns["t"]) > 0).all()
    np.testing.assert_array_equal(done.columns["segment"], np.arange(200) >= 120)
    (found,) = done.notices
    assert found.code == "clock-set"
    assert "back by 3599.99" in found.message
    assert "line 122" in found.message


def test_b58_gaps_start_segments(ingest, motion):
    t = motion["t"].copy()
    t[80:] += 0.5
    done = ingest(with_time(motion, t))
    np.testing.assert_array_equal(done.columns["segment"], np.arange(200) >= 80)
    assert done.facts.time.gaps == 1
    assert done.facts.time.longest_gap_s == pytest.approx(0.51)
    assert done.codes == ["missing-samples", "gap"]


def test_b59_missing_samples(ingest, motion):
    kept = np.delete(np.arange(200), [20, 90, 91])
    done = ingest({name: values[kept] for name, values in motion.items()}, gap_steps=10.0)
    assert done.facts.time.missing_samples == 3
    assert done.facts.time.gaps == 0
    (found,) = done.notices
    assert found.code == "missing-samples"
    assert "3 times" in found.message
    assert "t = 0.210 s" in found.message


@pytest.mark.parametrize("bad", ["nan", "inf", "1e400"])
def test_b61_time_that_is_not_finite(ingest, motion, bad):
    t = [repr(value) for value in motion["t"].tolist()]
    t[33] = bad
    lines = ["t,q.a", *(f"{a},{b!r}" for a, b in zip(t, motion["q.a"].tolist(), strict=True))]
    said = refusal(ingest, "\n".join(lines) + "\n")
    assert said.code == "time-not-finite"
    assert said.line == 35


def test_b62_times_that_lost_digits(ingest, motion):
    epoch = 1.7e9 + motion["t"]
    done = ingest(with_time(motion, epoch))
    assert done.codes == ["time-resolution"]
    assert "238 ns" in done.notices[0].message
    fast = with_time(motion, 1.7e9 + np.arange(200) * 1e-6)
    assert refusal(ingest, fast, accept=("odd-rate",)).code == "time-resolution"


def test_b62_whole_numbers_keep_all_digits(ingest, motion):
    stamps = 1_700_000_000_123_456_789 + np.arange(200) * 10_000_001
    columns = {**PLAIN, "time": {"column": "t", "unit": "ns"}}
    done = ingest(with_time(motion, stamps), columns)
    np.testing.assert_array_equal(done.columns["t"], np.arange(200) * 10_000_001)


def test_b63_wall_clock_as_text(ingest, motion):
    text = "t,q.a\n" + "".join(
        f"2026-03-29 02:{i // 60:02d}:{i % 60:02d},{q!r}\n"
        for i, q in enumerate(motion["q.a"].tolist())
    )
    said = refusal(ingest, text)
    assert said.code == "time-is-text"


def test_b64_samples_before_the_clock_was_set(ingest, motion):
    t = 1.7e9 + motion["t"]
    t[:5] = 0.0
    done = ingest(with_time(motion, t))
    assert done.columns["t"].size == 195
    assert done.columns["t"][0] == 0
    found = next(n for n in done.notices if n.code == "before-clock-set")
    assert found.effect is Effect.DATA_LOST
    assert "5 times" in found.message


def test_b65_constant_time(ingest, motion):
    assert refusal(ingest, with_time(motion, np.full(200, 4.0))).code == "constant-time"


def test_b69_leap_to_wall_time(ingest, motion):
    t = motion["t"].copy()
    t[100:] += 1.7e9
    done = ingest(with_time(motion, t))
    assert done.columns["t"].size == 200
    np.testing.assert_array_equal(done.columns["segment"], np.arange(200) >= 100)
    assert "clock-set" in done.codes
    assert done.facts.duration_s < 3


def test_losses_may_be_allowed(ingest, motion):
    t = 1.7e9 + motion["t"]
    t[:5] = 0.0
    strict = ingest(with_time(motion, t), allow_loss="2%")
    assert any(n.effect is Effect.DATA_LOST for n in strict.notices)
    generous = ingest(with_time(motion, t), allow_loss="3%")
    assert not any(n.effect is Effect.DATA_LOST for n in generous.notices)
    assert "before-clock-set" in generous.codes


def test_stretches_can_be_left_out(ingest, motion):
    done = ingest(motion, exclude=("0.5:0.7", "1.9:"))
    seconds = done.columns["t"] / 1e9
    assert not ((seconds >= 0.5) & (seconds <= 0.7)).any()
    assert seconds[-1] < 1.9
    np.testing.assert_array_equal(done.columns["segment"], seconds > 0.6)
    assert done.facts.excluded == ["0.5:0.7", "1.9:"]
    assert done.facts.dropped == {"excluded": 31}


@pytest.mark.parametrize("row", [3, 4500])
@pytest.mark.parametrize("damaged", [1e300, -1e300, 1e19])
def test_time_that_is_centuries_off_is_refused_with_its_line(ingest, row, damaged):
    t = np.arange(5000) / 100
    t[row] = damaged
    with pytest.raises(BadDataError) as error:
        ingest({"t": t, "q.a": np.sin(t)}, accept=("out-of-order",))
    assert error.value.notice.code == "time-not-finite"
    assert error.value.notice.line == row + 2


def test_rate_that_is_counted_is_not_blamed_on_a_unit(ingest):
    t = np.arange(500) / 100
    with pytest.raises(BadDataError) as error:
        ingest({"q.a": np.sin(t)}, rate_hz=1e6)
    assert error.value.notice.code == "odd-rate"
    assert "--time-unit" not in error.value.notice.hint


def test_loss_that_nobody_can_count_is_never_allowed(ingest, motion, tmp_path):
    path = tmp_path / "cut.csv.gz"
    whole = gzip.compress(table(motion).encode())
    path.write_bytes(whole[: len(whole) // 2])
    done = ingest(path, allow_loss="50%")
    effects = {notice.code: notice.effect for notice in done.notices}
    assert effects["cut-compression"] == "data-lost"


def test_what_the_user_excludes_is_not_lost(ingest, motion):
    text = table(motion)[:-1]  # the last line may be cut
    done = ingest(text, allow_loss="2%", exclude=("0:1",))
    effects = {notice.code: notice.effect for notice in done.notices}
    assert effects["cut-last-line"] == "none"
