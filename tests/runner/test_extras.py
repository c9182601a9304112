"""Packages that need not be there: their version, or their absence, is part of the key."""

from dataclasses import replace
from importlib.metadata import version

from robotid.runner.identity import library_versions
from tests.fakes.stages import EMIT


def test_c32_version_of_an_extra_or_its_absence_counts():
    stage = replace(EMIT, libraries=("numpy",), extras=("pytest", "no_such_package.part"))
    for fresh in (False, True):
        found = library_versions(stage, fresh=fresh)
        assert found["numpy"] == version("numpy")
        assert found["pytest"] == version("pytest")
        assert found["no_such_package"] == "absent"
