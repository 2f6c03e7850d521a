"""CHANGELOG.md has the form of Keep a Changelog; its newest release is the current version."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
RELEASE = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})")


def releases() -> list[tuple[str, date]]:
    """Return the version and date of each release, in the order of the file."""
    first, *rest = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert first == "[Unreleased]"
    found = [RELEASE.fullmatch(heading) for heading in rest]
    assert all(found), rest
    return [(each[1], date.fromisoformat(each[2])) for each in found if each]


def test_the_newest_release_is_the_version_of_the_project() -> None:
    """And the security policy supports it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    newest, _ = releases()[0]

    assert project["version"] == newest
    assert f"| {newest.rpartition('.')[0]}.x | yes |" in (ROOT / "SECURITY.md").read_text()


def test_releases_are_ordered() -> None:
    """The newest comes first."""
    versions = [tuple(map(int, version.split("."))) for version, _ in releases()]
    dates = [day for _, day in releases()]

    assert versions == sorted(set(versions), reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_changes_are_of_known_kinds() -> None:
    """Keep a Changelog has six."""
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)) <= KINDS
