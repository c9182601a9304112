"""Parts of `fit.json` that say where a fit comes from: data, findings, and how to make it again."""

from pydantic import BaseModel, ConfigDict, Field

from robotid.contracts.finding import RecordingFinding
from robotid.contracts.repair import Repair
from robotid.contracts.splits import Split


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RecordingUsed(_Part):
    """A recording: what became of its samples on the way here.

    No sample is unaccounted for: `logged` + `added` = `samples` + all of `dropped`.

    Args:
        split: that it is in (the first one, where it was cut).
        source_sha256: digest of the log.
        source_format: of the log.
        rate_hz: of the samples that were used.
        duration_s: from the first of them to the last.
        logged: samples of the log; null where the dataset does not say.
        added: samples that a uniform grid has more than the log.
        samples: that were used.
        used: the same by split; more than one where it was cut.
        dropped: samples that were left out, by reason.
        excluded: stretches of time that the user left out [s].
        gaps: in the log.
        repairs: what reading the log noticed, how often and where first.
        findings: of ingest and filter.
        cutoff_hz: of the filter (one pass); null where it was not filtered.
        effective_hz: where both passes have -3 dB.
        torque_kind: measured or commanded; empty where it is not known.
    """

    split: Split
    source_sha256: str
    source_format: str = ""
    rate_hz: float
    duration_s: float
    logged: int | None = None
    added: int = 0
    samples: int
    used: dict[Split, int] = {}
    dropped: dict[str, int] = {}
    excluded: list[str] = []
    gaps: int = 0
    repairs: list[Repair] = []
    findings: list[RecordingFinding] = []
    cutoff_hz: float | None = None
    effective_hz: float | None = None
    torque_kind: str = ""


class TrainedRecording(_Part):
    """A recording that a fit was trained on: its name, digest of the log, samples in training.

    Names are those of its own dataset; in fits that continue others, two may be the same.
    """

    name: str
    source_sha256: str
    samples: int = Field(gt=0)


class Continued(_Part):
    """The earlier fit whose training data count as well, without the recordings being read again.

    Args:
        fit_sha256: digest of the earlier fit.
        model: of that.
        samples: of training that come from it; they are part of those the fit states.
        recordings: that these samples are of; where it continues a fit itself, also those before.
    """

    fit_sha256: str
    model: str
    samples: int
    recordings: list[TrainedRecording]


class JointRange(_Part):
    """What a joint did in all training data, as (least, greatest), and what it may do.

    Limits are those of the robot file, null where it has none. Of the rows of a floating base, q is
    x, y, z [m], roll, pitch, yaw [rad], qd its twist in base coordinates, tau the wrench on it.
    `tau` is null where torques of joints were not recorded.
    """

    q: tuple[float, float]
    qd: tuple[float, float]
    qdd: tuple[float, float]
    tau: tuple[float, float] | None = None
    position_limits: tuple[float, float] | None = None
    velocity_limit: float | None = None
    effort_limit: float | None = None


class Remark(_Part):
    """A finding of the fit that is no reason to refuse it."""

    code: str
    message: str
    joint: str | None = None
    recording: str | None = None
    hint: str | None = None


class FilteredData(_Part):
    """How a recording was filtered: cut-off, and power densities before and after.

    `cutoff_hz` is the design value of one pass, `effective_hz` where both passes have -3 dB;
    densities [unit²/Hz] are by column, at `frequency_hz`.
    """

    rate_hz: float
    cutoff_hz: float
    effective_hz: float | None
    frequency_hz: list[float]
    before: dict[str, list[float]]
    after: dict[str, list[float]]


class Whiteness(_Part):
    """How correlated the residuals of a joint are in time.

    Args:
        lag_s: time after which the autocorrelation stays below its 95 % band; null if never.
        share: of samples that count as independent, from the autocorrelation.
        effective: independent samples in all training data.
        with_velocity: correlation of the residual with the sign of the velocity.
        with_speed: with any curve over the speed besides Coulomb and viscous friction, from 0 to 1.
        with_acceleration: with the acceleration.
        white: whether nothing speaks against white noise passed through the filter.
    """

    lag_s: float | None
    share: float
    effective: float
    with_velocity: float | None
    with_speed: float | None
    with_acceleration: float | None
    white: bool


class Autocorrelation(_Part):
    """Of the residuals of a joint in training data, at some lags.

    Args:
        lag_s: time between two errors.
        value: how alike they are, from -1 to 1.
        expected: the same of white noise passed through the filter; empty in older fits, whose
            bands are around zero.
        band: how far chance may leave `value` from `expected`, 95 % for all lags together.
    """

    lag_s: list[float]
    value: list[float]
    expected: list[float] = []
    band: list[float]


class Provenance(_Part):
    """How a result came about, so that it can be made again.

    Args:
        inputs: digests (SHA-256) of what went in, by role.
        libraries: versions of the packages that computed it, robotid first.
        commands: that make it again from the logs, one per stage; names of files are placeholders.
        placeholders: what each of these stands for.
    """

    inputs: dict[str, list[str]]
    libraries: dict[str, str]
    commands: list[str] = Field(default=[])
    placeholders: dict[str, str] = Field(default={})
