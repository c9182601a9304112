"""From a fit to a page one can send around, against a script with matplotlib."""

import base64
import html
import io
import json
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pyarrow.parquet as pq

from peers.comparison import Right, Task, Way
from robotid.stages.contract import Source
from robotid.stages.report import ReportConfig, run

PROJECT = Path(__file__).parents[2]
ABOUT = """Not the same page: the script draws measured and predicted torques of every joint and
their differences, and puts the pictures and a table of the parameters into one HTML file. A
report has the verdict, baselines, uncertainty and a chart for each of its sections besides."""


def tasks(folder: Path, *, quick: bool) -> list[Task]:
    """The task: a fit of the sample arm."""
    mpl.use("Agg")
    command = [Path(sys.executable).parent / "robotid", "run", PROJECT / "pipelines" / "arm.toml"]
    model = ("--set", "fit.model=ols") if quick else ()
    subprocess.run(
        [*command, *model, "--until", "fit", "--out", folder / "arm"],
        check=True, capture_output=True,
    )  # fmt: skip
    fit, outs = folder / "arm" / "fit", (folder / f"page{n}" for n in range(1000))
    joints = json.loads((fit / "fit.json").read_text(encoding="utf-8"))["joints"]

    def ours() -> Path:
        out = next(outs)
        out.mkdir()
        run(ReportConfig(), {"fits": [Source("fit", fit, "")]}, out)
        return out / "report.html"

    def theirs() -> Path:
        out = next(outs).with_suffix(".html")
        drawn(fit, out)
        return out

    def right(page: Path) -> Right:
        """Joints without a chart."""
        text = page.read_text(encoding="utf-8")
        charts = text.count("<svg") + text.count("<img")
        said = f"{charts} charts, {len(text) / 1e3:.0f} kB"
        return Right(said, float(sum(joint not in text for joint in joints)))

    ways = {
        "robotid report": Way(ours, right, ("robotid", "jinja2")),
        "a script with matplotlib": Way(theirs, right, ("matplotlib", "pyarrow")),
    }
    return [Task("A fit to a page", f"the sample arm, {len(joints)} joints", ways, 0.0, ABOUT)]


def drawn(fit: Path, out: Path) -> None:
    """Pictures and a table in one file."""
    from matplotlib import pyplot as plt

    table = pq.read_table(fit / "residuals.parquet")
    joints = [name[4:] for name in table.column_names if name.startswith("tau.")]
    pictures = []
    for joint in joints:
        tau, predicted = (table[f"{kind}.{joint}"].to_numpy() for kind in ("tau", "pred"))
        figure, (above, below) = plt.subplots(2, 1, figsize=(9, 5), sharex=True)
        above.plot(tau, label="measured")
        above.plot(predicted, label="predicted")
        above.set_title(joint)
        above.legend()
        below.plot(tau - predicted)
        below.set_title(f"rmse {np.sqrt(np.mean((tau - predicted) ** 2)):.3g}")
        image = io.BytesIO()
        figure.savefig(image, format="png")
        plt.close(figure)
        pictures.append(base64.b64encode(image.getvalue()).decode())
    found = json.loads((fit / "fit.json").read_text(encoding="utf-8"))
    rows = "".join(
        f"<tr><td>{html.escape(one['name'])}<td>{one['value']}<td>{one['std']}"
        for one in found["parameters"]
    )
    images = "".join(f"<img src='data:image/png;base64,{one}'>" for one in pictures)
    out.write_text(f"<!doctype html><table>{rows}</table>{images}", encoding="utf-8")
