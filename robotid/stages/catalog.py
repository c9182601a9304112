"""All stages by name. Modules are imported when a stage is asked for, not before."""

from importlib import import_module

from robotid.stages.contract import Stage

CATALOG: dict[str, str] = {
    "excite": "robotid.stages.excite",
    "simulate": "robotid.stages.simulate",
    "sample": "robotid.stages.sample",
    "ingest": "robotid.stages.ingest",
    "filter": "robotid.stages.filter",
    "factors": "robotid.stages.factors",
    "fit": "robotid.stages.fit",
    "report": "robotid.stages.report",
    "predict": "robotid.stages.predict",
    "decompose": "robotid.stages.decompose",
    "rollout": "robotid.stages.rollout",
    "compare": "robotid.stages.compare",
    "tabulate": "robotid.stages.tabulate",
    "track": "robotid.stages.track",
    "export": "robotid.stages.export",
}


def stage_named(name: str) -> Stage:
    """The stage of a name in the catalogue."""
    return stage_in(CATALOG[name])


def stage_in(origin: str) -> Stage:
    """The stage defined at `module` (as `STAGE`) or `module:NAME`."""
    module, _, name = origin.partition(":")
    stage: Stage = getattr(import_module(module), name or "STAGE")
    return stage
