"""What a release needs: a version that agrees with its tag, locked dependencies, addresses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from docs.release import main, problem
from hatch_build import addresses

ROOT = Path(__file__).parent.parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
CHANGELOG = (
    "## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\nNew.\n\n## [1.1.0] - 2026-01-01\n\nOld.\n"
)
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
NAME = re.compile(r"^[A-Za-z0-9._-]+")


def locked(lock: Path) -> dict[str, str]:
    """The requirements of a lock file, with their hashes, by normalised name."""
    text = lock.read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    return {normalised(line): line for line in lines}


def normalised(requirement: str) -> str:
    """The name in a requirement, as indexes compare it (PEP 503)."""
    found = NAME.match(requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def required(*groups: str) -> set[str]:
    """The names in dependency groups, with those of groups that they include."""
    names: set[str] = set()
    for group in groups:
        for each in PROJECT["dependency-groups"][group]:
            names |= (
                {normalised(each)} if isinstance(each, str) else required(each["include-group"])
            )
    return names


def test_a_version_is_released_under_its_tag() -> None:
    """And with a dated section in the changelog."""
    assert problem("1.2.0", CHANGELOG, None) is None
    assert problem("1.2.0", CHANGELOG, "v1.2.0") is None
    assert problem("1.2.0", CHANGELOG, "v1.3.0") == (
        "the tag v1.3.0 is not that of the version in pyproject.toml, v1.2.0"
    )
    assert problem("1.3.0", CHANGELOG, None) == "CHANGELOG.md has no dated section for 1.3.0"


def test_this_version_can_be_released(capsys: pytest.CaptureFixture[str]) -> None:
    """Another tag is refused in one line."""
    version = PROJECT["project"]["version"]

    assert main([f"v{version}"]) == 0
    assert main(["v99.0.0"]) == 1
    captured = capsys.readouterr()
    assert captured.out == f"{version}\n"
    assert captured.err.startswith("release: the tag v99.0.0 is not ")


def test_the_addresses_are_those_of_the_repository() -> None:
    """Documents are those of the version."""
    found = addresses("https://example.org/a/b", "1.2.0")

    assert found["Source"] == "https://example.org/a/b"
    assert found["Changelog"] == "https://example.org/a/b/blob/v1.2.0/CHANGELOG.md"
    assert addresses("", "1.2.0") == {}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_has_a_hash_for_each_version(lock: Path) -> None:
    """And neither the address of an index nor a path of a machine."""
    for line in locked(lock).values():
        assert re.match(r"^[\w.-]+==\S+ ", line), line
        assert "--hash=sha256:" in line
    assert not re.search(r"://|--index|--find-links|(^| )/", lock.read_text())


def test_the_locks_have_all_direct_dependencies() -> None:
    """After a change of pyproject.toml, `make lock` is needed."""
    runtime = {normalised(each) for each in PROJECT["project"]["dependencies"]}

    assert runtime <= locked(ROOT / "locks" / "runtime.txt").keys()
    extras = PROJECT["project"]["optional-dependencies"].values()
    optional = {normalised(each) for extra in extras for each in extra}
    assert runtime | optional | required("dev") <= locked(ROOT / "locks" / "dev.txt").keys()
