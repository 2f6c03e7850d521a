"""The ``antechamber wheel`` command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from antechamber.cli import main
from antechamber.commands import wheel as wheel_command
from tests.admin_server import serving
from tests.antechamber.follow_pauses import pauses_of
from tests.facts import FakeFacts

HINT = "antechamber wheel --help lists the options"


def timer(name: str, *buckets: dict[str, Any], size: int = 1) -> dict[str, Any]:
    level = {
        "tick_ms": 1,
        "wheel_size": 20,
        "current_time_ms": 100,
        "end_ms": 120,
        "current_index": 0,
        "buckets": list(buckets),
    }
    return {
        "node": 1,
        "name": name,
        "now_ms": 100.5,
        "size": size,
        "next_expiration_ms": 107 if buckets else None,
        "queued_buckets": len(buckets),
        "demotions": 4,
        "levels": [level],
    }


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with twelve fetches in one bucket and an idle timer."""
    facts = FakeFacts()
    bucket = {"index": 7, "at_ms": 107, "tasks": {"DelayedFetch": 12}}
    facts.timers_held = [timer("Fetch", bucket, size=12), timer("Produce", size=0)]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        monkeypatch.setenv("COLUMNS", "80")
        yield facts


def test_long_delays_have_separators(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """In the line of the timer as in those of its buckets."""
    facts.timers_held = [timer("Fetch") | {"next_expiration_ms": 12_107}]
    assert main(["wheel"]) == 0
    assert "the next bucket fires in 12,006 ms" in capsys.readouterr().out


def test_timers_that_hold_tasks_are_shown_as_rings(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their buckets are listed, and a bucket of ten or more tasks is a plus."""
    assert main(["wheel"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "node 1, Fetch: 12 waiting, the next bucket fires in 6 ms"
    assert lines[1] == "  level 1, in 6 ms: 12 DelayedFetch"
    assert any("+" in line for line in lines[2:])
    assert not any("Produce" in line for line in lines)


def test_the_buckets_of_a_level_are_in_the_order_of_their_times(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The broker sends them in the order of their places in the ring."""
    later, sooner = (
        {"index": index, "at_ms": at_ms, "tasks": {"DelayedFetch": 1}}
        for index, at_ms in ((1, 121), (7, 107))
    )
    facts.timers_held = [timer("Fetch", later, sooner, size=2)]
    assert main(["wheel"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines[1:3]] == [
        "  level 1, in 6 ms",
        "  level 1, in 20 ms",
    ]


def test_a_timer_is_selected_by_its_name(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if it holds no task."""
    assert main(["wheel", "--timer", "Produce"]) == 0
    assert capsys.readouterr().out.startswith("node 1, Produce: 0 waiting\n")


def test_a_broker_without_waiting_tasks_is_one_line(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The timers exist, and nothing waits."""
    facts.timers_held = [timer("Fetch", size=0)]
    assert main(["wheel", "--node", "1"]) == 0
    assert capsys.readouterr().out == "no timer holds a task\n"


def test_json_is_the_snapshots(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """One line with the timers that hold tasks, as the admin interface returns them."""
    assert main(["wheel", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts.timers_held[:1]


def test_follow_draws_again_until_it_is_interrupted(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each frame clears the terminal; the exit code is that of Ctrl-C."""
    pauses_of(wheel_command, monkeypatch)(lambda: None)
    assert main(["wheel", "--follow"]) == 130
    assert capsys.readouterr().out.count("\x1b[2J") == 2


def test_the_path_of_delays_needs_no_broker(capsys: pytest.CaptureFixture[str]) -> None:
    """Each task has a letter; the steps say what happens and when."""
    assert main(["wheel", "--of", "450", "446", "19", "--cancel", "446@100"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("at 0 ms\n  the task of 450 ms is added: a\n")
    steps = [line for line in shown.splitlines() if line.startswith("at ")]
    assert steps == ["at 0 ms", "at 19 ms", "at 100 ms", "at 400 ms", "at 440 ms", "at 450 ms"]
    assert "the task of 446 ms is cancelled" in shown
    assert shown.count("level 3") > 3


def test_the_path_is_json_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    """A JSON object a step."""
    assert main(["wheel", "--of", "5", "--json"]) == 0
    steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [step["timer"]["now_ms"] for step in steps] == [0, 5]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--of", "abc"], f"--of: 'abc' is not a whole number; {HINT}"),
        (["--node", "a"], f"--node: 'a' is not a whole number; {HINT}"),
        (["--of", "-4"], "--of: -4 given, 0 to 1000000000000 allowed"),
        (["--of", "4", "--cancel", "5@1"], "--cancel: no task has the delay 5"),
        (["--of", "4", "--cancel", "x"], "--cancel: 'x' is not DELAY@TIME, both in ms"),
        (
            ["--of", "4", "--from", "x"],
            "--from: it has no effect with --of; give one of them",
        ),
        (["--cancel", "5@1"], "--cancel needs --of, whose tasks it cancels"),
    ],
)
def test_an_invalid_argument_is_one_line(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the argument and what is allowed; the exit code is that of a usage error."""
    assert main(["wheel", *arguments]) == 2
    assert capsys.readouterr().err == f"antechamber wheel: {complaint}\n"


@pytest.mark.parametrize("form", [list, lambda timers: {"timers": timers}])
def test_a_recording_is_shown_without_a_broker(
    form: Callable[[list[Any]], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each line of `--follow --json` is drawn, in order, or responses of ``GET /v1/timers``."""
    bucket = {"index": 7, "at_ms": 107, "tasks": {"DelayedFetch": 2}}
    recording = tmp_path / "timers.jsonl"
    recording.write_text(f"{json.dumps(form([timer('Fetch', bucket, size=2)]))}\n[]\n")

    assert main(["wheel", "--from", str(recording)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "node 1, Fetch: 2 waiting, the next bucket fires in 6 ms"
    assert lines[-1] == "no timer holds a task"


@pytest.mark.parametrize(
    "line", ["{", "[1]", '[{"name": "Fetch"}]', '[{"levels": []}]', "null", '{"timers": 7}']
)
def test_a_line_that_is_no_recording_is_named(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with the number of the line and the file."""
    recording = tmp_path / "timers.jsonl"
    recording.write_text(f"[]\n{line}\n")

    assert main(["wheel", "--from", str(recording)]) == 2

    assert f"--from: line 2 of {recording}" in capsys.readouterr().err


def test_a_recording_that_does_not_exist_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line."""
    assert main(["wheel", "--from", str(tmp_path / "none")]) == 2
    error = f"--from: cannot read {tmp_path / 'none'}: No such file or directory\n"
    assert capsys.readouterr().err == f"antechamber wheel: {error}"


@pytest.mark.parametrize(
    ("option", "error"),
    [
        (["--node", "9"], "there is no node 9, only 1"),
        (["--timer", "nope"], "there is no timer nope, only Fetch, Produce"),
    ],
)
@pytest.mark.usefixtures("facts")
def test_an_unknown_node_or_timer_is_refused(
    option: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names those that exist, and the exit code is 1."""
    assert main(["wheel", *option]) == 1
    assert capsys.readouterr().err == f"antechamber wheel: {error}\n"
