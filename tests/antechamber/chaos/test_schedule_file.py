"""Schedules in files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antechamber.chaos.draw import draw
from antechamber.chaos.schedule_file import as_yaml, check_writable, read_schedule, schedule
from antechamber.usage_error import UsageError


def test_a_schedule_is_read_from_yaml(tmp_path: Path) -> None:
    """With its comments and short forms."""
    path = tmp_path / "s.yaml"
    path.write_text("# a comment\nschedule: 1\nrules:\n- action: {type: close}\n  nth: 3\n")

    assert read_schedule(str(path)) == {
        "schedule": 1,
        "rules": [{"action": {"type": "close"}, "nth": 3}],
    }


def test_a_schedule_is_read_from_json(tmp_path: Path) -> None:
    """By the name of the file."""
    path = tmp_path / "s.json"
    path.write_text('{"schedule": 1, "rules": []}')

    assert read_schedule(str(path)) == {"schedule": 1, "rules": []}


@pytest.mark.parametrize("seed", range(20))
def test_a_written_schedule_is_read_again(seed: int, tmp_path: Path) -> None:
    """The printed schedule of a seed is the schedule."""
    path = tmp_path / "s.yaml"
    written = schedule(draw(seed, 3), seed)

    path.write_text(as_yaml(written))

    assert read_schedule(str(path)) == written


@given(st.text())
def test_any_name_is_written_and_read_again(name: str) -> None:
    """YAML quotes words such as ``no`` and control characters."""
    import yaml

    written = schedule([{"name": name, "action": {"type": "close"}}])

    assert yaml.safe_load(as_yaml(written)) == written


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.json", "{", "s.json is not JSON: "),
        ("s.yaml", "a: [", "s.yaml is not YAML: "),
        ("s.yaml", "- a\n", "s.yaml has no list of rules; "),
        ("s.yaml", "rules: 3\n", "s.yaml has no list of rules; "),
        ("s.yaml", "rules: [2026-11-23]\n", "s.yaml has a value that JSON does not have: "),
        ("s.yaml", "rules: [.nan]\n", "s.yaml has a value that JSON does not have: "),
        ("s.yaml", "!!python/object:os.system {}\n", "s.yaml is not YAML: "),
        ("s.json", "[" * 100_000, "s.json is not JSON: "),
        ("s.yaml", "[" * 5_000, "s.yaml is not YAML: "),
    ],
)
def test_an_unusable_file_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, message: str
) -> None:
    """It names the file."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content)

    with pytest.raises(UsageError) as error:
        read_schedule(name)

    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_missing_file() -> None:
    """The error has the reason of the system."""
    with pytest.raises(UsageError, match=r"cannot read nothing\.yaml: No such file"):
        read_schedule("nothing.yaml")


def test_a_binary_file(tmp_path: Path) -> None:
    """It is not a text."""
    path = tmp_path / "s.yaml"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match="not a text in UTF-8"):
        read_schedule(str(path))


def test_a_check_of_an_output_leaves_no_file(tmp_path: Path) -> None:
    """A file that did not exist does not exist after it."""
    check_writable("--output", str(tmp_path / "s.yaml"))

    assert list(tmp_path.iterdir()) == []


def test_a_check_of_an_output_changes_no_file(tmp_path: Path) -> None:
    """The content of an existing file remains."""
    path = tmp_path / "s.yaml"
    path.write_text("rules: []")

    check_writable("--output", str(path))

    assert path.read_text() == "rules: []"
