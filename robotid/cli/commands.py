"""All commands: where each is defined and what it does, in the order help shows them.

Help must answer at once, so a command's module is imported when the command is called.
"""

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("robotid.cli.init", "Look at logs and write a pipeline for them, ready to run."),
    "excite": ("robotid.cli.excite", "Design the trajectories a robot should run."),
    "simulate": ("robotid.cli.simulate", "Simulate logs of a robot from known truth."),
    "sample": ("robotid.cli.sample", "Sample states of a robot, as a dataset to fit."),
    "inspect": ("robotid.cli.inspect", "Show what is inside a log, and write a map of it."),
    "ingest": ("robotid.cli.ingest", "Read raw logs into a dataset (Parquet)."),
    "filter": ("robotid.cli.filter", "Low-pass a dataset and estimate accelerations."),
    "factors": ("robotid.cli.factors", "Reduce filtered recordings to information factors."),
    "fit": ("robotid.cli.fit", "Fit a model to a filtered dataset."),
    "report": ("robotid.cli.report", "Write a report on one or more fits."),
    "predict": ("robotid.cli.predict", "Predict the torques of recordings with a fit."),
    "decompose": ("robotid.cli.decompose", "Take forces of fits apart, beside the true ones."),
    "rollout": ("robotid.cli.rollout", "Let forward models run, beside what was recorded."),
    "compare": ("robotid.cli.compare", "Put forward models that were left to run side by side."),
    "tabulate": ("robotid.cli.tabulate", "Put figures of many fits into one table."),
    "track": ("robotid.cli.track", "Let fits drive a robot, and see how well it follows."),
    "export": ("robotid.cli.export", "Write a fit as robot file, table, payload or code."),
    "run": ("robotid.cli.run", "Run a pipeline file: all of the above as one graph."),
    "robots": ("robotid.cli.robots", "List the robots that come with robotid, or show one."),
    "cache status": ("robotid.cli.cache_status", "Show what the cache holds."),
    "cache verify": ("robotid.cli.cache_verify", "Check every byte of the cache."),
    "cache gc": ("robotid.cli.cache_gc", "Remove what was not used for longest."),
    "cache explain": ("robotid.cli.cache_explain", "Say why a result was computed again."),
}

GROUPS: dict[str, str] = {
    "": "robotid turns robot logs into a dynamics model one can trust.",
    "cache": "Look after the cache: status, verify, gc, explain.",
}
