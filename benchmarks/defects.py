"""The defects that `seeded_defects.py` plants: what is changed where, and who must notice."""

from typing import NamedTuple


class Defect(NamedTuple):
    """One line that somebody might lose or get wrong.

    Args:
        name: what is wrong.
        file: below `robotid/`.
        old: text of the file, found there exactly once.
        new: what stands there instead.
        tests: files or names of tests; at least one of them must fail.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


STORE = ("tests/store/test_durability.py", "tests/store/test_store.py")
DELIVERY = ("tests/store/test_delivery.py",)
_SYNC = "        target.flush()\n        os.fsync(target.fileno())\n"
_RENAME = "                result.rename(place)\n"
_MANIFEST_FIRST = """\
                place.mkdir()
                for name in (MANIFEST, *manifest.files):
                    (place / name).parent.mkdir(parents=True, exist_ok=True)
                    (result / name).rename(place / name)
"""

DEFECTS = (
    # Commits.
    Defect(
        "no fsync of a result's files",
        "store/files.py",
        "side.submit(os.fsync, fd)",
        "side.submit(os.fstat, fd)",
        STORE,
    ),
    Defect("no fsync of the manifest", "store/files.py", _SYNC, "        target.flush()\n", STORE),
    Defect(
        "no fsync of the folders before the rename",
        "store/store.py",
        "            sync_folder(folder)\n",
        "",
        STORE,
    ),
    Defect(
        "no fsync of the folder after the rename",
        "store/store.py",
        "                sync_folder(place.parent)\n",
        "",
        STORE,
    ),
    Defect("manifest first, then the files", "store/store.py", _RENAME, _MANIFEST_FIRST, STORE),
    Defect(
        "error of fsync swallowed",
        "store/files.py",
        "written.result()",
        "written.exception()",
        STORE,
    ),
    Defect(
        "error of rename swallowed",
        "store/store.py",
        "                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):\n"
        "                    raise\n",
        "                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):\n"
        "                    return Entry(place, manifest)\n",
        STORE,
    ),
    # Reading.
    Defect(
        "bytes not verified on reading",
        "store/store.py",
        "if hash_file(path) != entry.manifest.files[name]:",
        "if hash_file(path).size != entry.manifest.files[name].size:",
        STORE,
    ),
    Defect(
        "manifest not verified on reading",
        "store/manifest.py",
        "if raw != manifest.to_bytes():",
        'if "check" not in body:',
        STORE,
    ),
    Defect(
        "damaged entry deleted in place of kept",
        "store/store.py",
        "            path.rename(target)\n",
        '            __import__("shutil").rmtree(path)\n',
        STORE,
    ),
    Defect(
        "link in an entry followed",
        "store/files.py",
        "(0 if follow else os.O_NOFOLLOW)",
        "0",
        STORE,
    ),
    Defect(
        "entries of other users read",
        "store/store.py",
        "if not self.shared and facts.st_uid not in (os.geteuid(), 0):",
        "if False:",
        STORE,
    ),
    Defect(
        "cache that anybody can write to used",
        "store/location.py",
        "if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not shared:",
        "if False:",
        ("tests/store/test_location.py",),
    ),
    # Copies for users.
    Defect(
        "link at the output followed",
        "store/delivery.py",
        "if stat.S_ISLNK(mode):",
        "if False:",
        DELIVERY,
    ),
    Defect(
        "damaged bytes delivered",
        "store/files.py",
        "if FileFact(size, sha.hexdigest()) != fact:",
        "if size != fact.size:",
        DELIVERY,
    ),
    Defect(
        "files of the user replaced",
        "store/delivery.py",
        "        if foreign:\n",
        "        if not target:\n",
        DELIVERY,
    ),
    # Keys.
    Defect(
        "key without the configuration",
        "runner/task.py",
        '"config": tagged(config.model_dump()),',
        '"config": {},',
        ("tests/runner/test_run.py::test_only_what_depends_on_a_change_runs",),
    ),
    Defect(
        "key without the code",
        "runner/task.py",
        '"code": code_identity(stage),',
        '"code": dict.fromkeys(code_identity(stage), ""),',
        ("tests/runner/test_run.py::test_code_replaced_under_way_is_not_cached",),
    ),
    Defect(
        "key without the versions",
        "runner/task.py",
        '"numerics": library_versions(stage),',
        '"numerics": dict.fromkeys(library_versions(stage), ""),',
        (
            "tests/runner/test_extras.py",
            "tests/runner/test_run.py::test_chain_runs_once",
        ),
    ),
    Defect(
        "input that changed under way kept",
        "runner/inputs.py",
        "if now != piece.digest:",
        'if now == "":',
        ("tests/runner/test_run.py::test_c29_b07_input_that_changes_under_way_is_never_kept",),
    ),
    # Exit codes, pages, terminals.
    Defect(
        "exit code swallowed",
        "cli/session.py",
        "    return int(result.exit_code)\n",
        "    return 0\n",
        ("tests/cli/test_run_command.py::test_resume_after_a_failure",),
    ),
    Defect(
        "loss of data is no exit code",
        "runner/result.py",
        "return exit_code_of(notice for stage in self.stages for notice in stage.notices)",
        "return ExitCode.OK",
        ("tests/runner/test_run.py::test_lossy_result_is_cached_with_its_exit_code",),
    ),
    Defect(
        "pages not escaped",
        "reporting/environment.py",
        "autoescape=True,\n",
        "autoescape=False,\n",
        ("tests/reporting/test_injection.py",),
    ),
    Defect(
        "one field of the report not escaped",
        "reporting/templates/sections/verdict.html.j2",
        "{{ finding.hint }}",
        "{{ finding.hint | safe }}",
        ("tests/reporting/test_injection.py",),
    ),
    Defect(
        "terminal escapes not made visible",
        "cli/text.py",
        'return "".join(c if unicodedata.category(c) not in _HIDDEN else _escape(c) for c in text)',
        "return text",
        ("tests/cli/test_streams.py::test_s20_s22_names_from_data_cannot_steer_the_terminal",),
    ),
    Defect(
        "formulas in exported tables",
        "exporting/tables.py",
        '_FORMULAS = ("=", "+", "-", "@", "\\t", "\\r")',
        '_FORMULAS = ("\\0",)',
        ("tests/exporting/test_tables.py",),
    ),
    # Files of strangers.
    Defect(
        "entities of XML expanded",
        "robot/xml_source.py",
        "        self.parser.StartDoctypeDeclHandler = self._doctype\n",
        "",
        ("tests/robot/test_urdf_errors.py",),
    ),
    Defect(
        "depth of XML without a limit",
        "robot/xml_source.py",
        "if len(self._open) > MAX_DEPTH:",
        "if len(self._open) > 1000 * MAX_DEPTH:",
        ("tests/robot/test_urdf_errors.py",),
    ),
    # Numbers.
    Defect(
        "unit of a signal not checked",
        "ingestion/conversion_factors.py",
        '    if unit not in allowed:\n        said = f"[{name}] of joint',
        '    if not unit:\n        said = f"[{name}] of joint',
        ("tests/ingestion/test_maps.py",),
    ),
    Defect(
        "order of time stamps not checked",
        "ingestion/timeline.py",
        'if "out-of-order" not in self._accept:',
        "if self._accept is None:",
        ("tests/ingestion/test_time.py",),
    ),
    Defect(
        "sign of a coupled joint's column",
        "dynamics/friction.py",
        "result[:, joint, position] = sign * values",
        "result[:, joint, position] = values",
        ("tests/dynamics/test_terms.py",),
    ),
    Defect(
        "sign of a link's column",
        "information/columns.py",
        "across = _cross(a, w)",
        "across = _cross(w, a)",
        ("tests/information/test_regressor.py",),
    ),
    Defect(
        "seed of a simulation ignored",
        "simulation/recordings.py",
        "default_rng([options.seed, what, recording])",
        "default_rng([what, recording])",
        ("tests/simulation/test_scenario.py",),
    ),
    Defect(
        "seed of a design ignored",
        "excitation/attempts.py",
        "default_rng([self.seed, self.trajectory, self.start])",
        "default_rng([self.trajectory, self.start])",
        ("tests/excitation/test_search.py",),
    ),
    Defect(
        "limits of a design kept at samples only",
        "signals/fourier.py",
        "return float(np.cos(np.pi * degree / samples))",
        "return 1.0",
        ("tests/excitation/test_certificate.py", "tests/simulation/test_trajectory.py"),
    ),
)
