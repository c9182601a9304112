"""The architecture, enforced: imports point downward, stages import what they declare."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import robotid
from robotid.runner.identity import modules_of
from robotid.stages.catalog import CATALOG, stage_named

PACKAGE = Path(robotid.__file__).parent

# From top to bottom; what stands on one line does not know its neighbours.
LAYERS = [
    {"__main__"},
    {"cli"},
    {"runner"},
    {"stages", "inspection"},
    {"ingestion", "identification", "tracking"},
    {
        "excitation",
        "exporting",
        "fitting",
        "evaluation",
        "reporting",
        "logs",
        "plausibility",
        "simulation",
        "training",
        "rollouts",
    },
    {"models"},
    {"information"},
    {"signals"},
    {"dynamics"},
    {"robot"},
    {"spatial"},
    {"contracts"},
    {"store"},
    {"memory", "__init__"},
    {
        "checkpoints",
        "compiled",
        "cores",
        "errors",
        "on_demand",
        "progress",
        "release",
        "types",
        "versions",
    },
]
MAY_SEE_STORE = {"runner", "cli"}
LATER = re.compile(r"robotid(\.\w+)+:\w+")  # how tables name what is imported when it is needed
# Results that state the release import robotid.release, which is then part of their key.
MAY_SEE_VERSION = {"__main__", "cli"}


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Everything a module imports, also inside functions, as dotted names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and LATER.fullmatch(str(node.value)):
            found.add(str(node.value).partition(":")[0])
    return frozenset(found)


def module_path(name: str) -> Path | None:
    """The file of a module of this package; None for anything else."""
    parts = name.split(".")
    if parts[0] != "robotid":
        return None
    base = PACKAGE.joinpath(*parts[1:])
    if base.with_suffix(".py").is_file():
        return base.with_suffix(".py")
    return base / "__init__.py" if (base / "__init__.py").is_file() else None


MODULES = sorted(PACKAGE.rglob("*.py"))


def layer_of(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def name_of(path: Path) -> str:
    return ".".join(["robotid", *path.relative_to(PACKAGE).with_suffix("").parts])


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_downward(path):
    depth = {layer: number for number, layers in enumerate(LAYERS) for layer in layers}
    own = layer_of(name_of(path))
    for name in imports_of(path):
        if name == "robotid.__version__":
            assert own in MAY_SEE_VERSION
        other = layer_of(name)
        if module_path(name) is None or other in (own, "__init__"):
            continue
        assert depth[other] > depth[own], f"{name_of(path)} imports {name}"
        if other == "store":
            assert own in MAY_SEE_STORE, f"{name_of(path)} must not know the store"


def test_every_package_has_its_place():
    known = set().union(*LAYERS)
    present = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert present <= known


def test_package_files_hold_no_code():
    """So that importing one module of a package brings in no other, and need not be hashed."""
    for path in PACKAGE.rglob("__init__.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        if path.parent == PACKAGE:
            body = body[:-1]  # the version
        assert [type(node) for node in body] == [ast.Expr], path


def closure(start: str) -> tuple[set[str], set[str]]:
    """Modules of this package, and packages of others, that a module imports in the end."""
    own, foreign, pending = set(), set(), [start]
    while pending:
        name = pending.pop()
        path = module_path(name)
        if path is None or name in own or path.name == "__init__.py":
            continue
        own.add(name)
        for imported in imports_of(path):
            if imported.split(".")[0] == "robotid":
                pending.append(imported)
            else:
                foreign.add(imported.split(".")[0])
    return own, foreign - set(sys.stdlib_module_names)


def declared(module: str, names: tuple[str, ...]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


@pytest.mark.parametrize("name", CATALOG)
def test_stage_declares_all_code_it_uses(name):
    """Otherwise an edit could leave a stale result in the cache."""
    stage = stage_named(name)
    own, foreign = closure(stage.origin)
    undeclared = {module for module in own if not declared(module, modules_of(stage))}
    assert undeclared == set()
    libraries = {name.split(".")[0] for name in (*stage.libraries, *stage.extras)}
    assert foreign == libraries, "versions of libraries are part of the key"


@pytest.mark.parametrize("name", CATALOG)
def test_stage_declares_no_code_it_does_not_use(name):
    """Otherwise an unrelated edit would throw results away."""
    stage = stage_named(name)
    own, _ = closure(stage.origin)
    for used in stage.uses:
        assert any(declared(module, (used,)) for module in own), used


def test_stage_modules_are_light():
    """Reading a pipeline must not load what only running a stage needs."""
    import subprocess

    heavy = {"numba", "numpy", "polars", "pyarrow", "scipy", "torch", "jinja2", "rich"}
    code = (
        "import sys; from robotid.stages.catalog import *; import robotid.cli.run, robotid.cli.session;"
        "[stage_named(n) for n in CATALOG]; print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert heavy & set(loaded.stdout.split()) == set()


def test_s03_s23_no_dangerous_calls():
    words = (
        "pickle",
        "joblib",
        "dill",
        "allow_pickle=True",
        "torch.load(",
        "shell=True",
        "os.system",
        "eval(",
        "exec(",
    )
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert [word for word in words if word in text] == [], path


def test_n33_no_promises_about_the_order_of_columns():
    """polars believes what it is told of an order, and joins wrongly where it is not true."""
    for path in MODULES:
        assert "set_sorted" not in path.read_text(encoding="utf-8"), path


def test_s30_nothing_can_reach_the_network():
    """No module imports what opens connections; the name of the host is all that is asked for.

    A cluster that a user asks for is reached by dask, from one package that nothing else imports.
    """
    network = {"asyncio", "ftplib", "http", "httpx", "imaplib", "poplib", "requests", "smtplib"}
    network |= {"ssl", "urllib.request", "urllib3", "webbrowser", "xmlrpc", "torch.hub"}
    network |= {"dask", "distributed", "tornado"}
    cluster = "robotid.runner.cluster"
    for path in MODULES:
        found = {name for name in imports_of(path) if name.split(".")[0] in network | {"socket"}}
        if name_of(path).startswith(cluster):
            assert found <= {
                name for name in found if name.split(".")[0] in {"asyncio", "dask", "distributed"}
            }
            continue
        assert not network & {name.split(".")[0] for name in found} | network & found, path
        if "socket" in found:
            assert set(re.findall(r"socket\.(\w+)", path.read_text())) == {"gethostname"}
        users = {name for name in imports_of(path) if name.startswith(cluster)}
        assert not users or name_of(path) == "robotid.cli.session", path


def test_s30_dask_is_loaded_for_clusters_only():
    import subprocess

    code = "import sys, robotid.cli.run, robotid.cli.session; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"dask", "distributed", "asyncio"} & set(loaded.stdout.split())


def test_s29_every_dependency_has_bounds():
    import tomllib

    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    for given in (project["dependencies"], *project["optional-dependencies"].values()):
        for requirement in given:
            assert re.fullmatch(r"[\w-]+(\[\w+\])?>=[\d.]+,<=?[\d.]+", requirement), requirement


def test_modules_stay_readable():
    for path in MODULES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path
