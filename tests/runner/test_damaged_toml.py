"""Pipelines and maps with anything wrong in them: read or refused with the file, never a crash."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotid.errors import RobotidError
from robotid.ingestion.column_map import ColumnMap
from robotid.runner.pipeline import load_pipeline
from robotid.stages.configuration import TomlFile, parse_config
from tests.conftest import PROJECT
from tests.many import many

PIECES = [
    *("", "=", '"', "[", "]", "{", "}", "\n", "[[", "[stages.fit]", "'", '"""', "#", ".", ","),
    *("nan", "inf", "-1", "1e400", "0x", "9" * 400, "true", "1979-05-27", "@fit", "@", "../x", "*"),
    *("é", "\x00", "\\u0000", "inputs.", "stage = "),
]


def _pipeline(path):
    load_pipeline(path)


def _map(path):
    source = TomlFile(path)
    parse_config(ColumnMap, source.values, source=source)


PIPELINES = sorted((PROJECT / "pipelines").glob("*.toml"))
MAPS = sorted((PROJECT / "sample_logs").glob("[a-z]*/*.map.toml"))
KINDS = {
    **{path.name: (path.read_text(), _pipeline) for path in PIPELINES},
    **{path.name: (path.read_text(), _map) for path in MAPS if path.parent.name != "broken"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_undamaged_file_is_read(kind, tmp_path):
    text, read = KINDS[kind]
    (tmp_path / kind).write_text(text)
    read(tmp_path / kind)


@pytest.mark.parametrize("kind", KINDS)
def test_only_errors_of_robotid_escape(kind, tmp_path_factory):
    text, read = KINDS[kind]
    path = tmp_path_factory.mktemp("damaged") / kind

    @many()
    @given(
        st.lists(
            st.tuples(
                st.integers(0, len(text)),
                st.integers(0, 30),
                st.one_of(st.sampled_from(PIECES), st.text(max_size=6), st.binary(max_size=4)),
            ),
            min_size=1,
            max_size=4,
        )
    )
    def damage(cuts):
        data = text.encode()
        for at, length, piece in cuts:
            new = piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
            data = data[:at] + new + data[at + length :]
        path.write_bytes(data)
        with contextlib.suppress(RobotidError):
            read(path)

    damage()
