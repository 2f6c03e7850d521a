"""The ``antechamber clock`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import FakeClock, FakeFacts

STATE = {"state": "frozen", "speed": 0, "now_us": 1_700_000_000_123_000, "next": None}
FROZEN = "the clock is frozen at 2023-11-14 22:13:20.123 UTC; no timer holds a task"


class SteppingClock(FakeClock):
    """An advance has one step."""

    def state(self) -> dict[str, Any]:
        """The state as that of a broker."""
        return STATE

    def freeze(self) -> dict[str, Any]:
        """The same."""
        return STATE

    def run(self, speed: float) -> dict[str, Any]:
        """With a timer."""
        following = {"in_ms": 1200.5, "node": None, "timer": "cluster"}
        return STATE | {"state": "running", "speed": speed, "next": following}

    async def advance_by(self, duration_ms: int, steps_max: int) -> dict[str, Any]:
        """Two tasks, and a response."""
        tasks = [{"node": node, "timer": "Fetch", "task": "DelayedFetch"} for node in (1, None)]
        response = {"api": "Fetch", "client_id": "c", "parked_us": 500_000}
        at_once = response | {"parked_us": 0}
        step = {"after_ms": 500, "tasks": tasks, "responses": [response, at_once]}
        return {
            "advanced_ms": duration_ms,
            "tasks_run": 2,
            "steps": [step],
            "steps_omitted": 3,
            "clock": STATE,
        }


@pytest.fixture(autouse=True)
def _broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    facts = FakeFacts()
    facts.clock = SteppingClock()
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield


@pytest.mark.parametrize("arguments", [[], ["freeze"]])
def test_the_state_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Its time is in UTC."""
    assert main(["clock", *arguments]) == 0
    assert capsys.readouterr().out == f"{FROZEN}\n"


def test_a_running_clock_shows_its_speed(capsys: pytest.CaptureFixture[str]) -> None:
    """And the timer that acts next."""
    assert main(["clock", "run", "--speed", "2.5"]) == 0
    assert capsys.readouterr().out == (
        "the clock is running at speed 2.5 at 2023-11-14 22:13:20.123 UTC; "
        "next: timer cluster in 1.2 s\n"
    )


def test_an_advance_shows_what_happened(capsys: pytest.CaptureFixture[str]) -> None:
    """The time of each step, its tasks and the requests that waited and ended."""
    assert main(["clock", "advance", "45s"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "3 earlier steps are not shown",
        "   +500 ms  timer Fetch of node 1: DelayedFetch",
        "            timer Fetch: DelayedFetch",
        "            Fetch of client c has ended; it was parked for 500 ms",
        "the clock has moved 45.0 s forwards; 2 tasks have run",
        FROZEN,
    ]


def test_json_is_the_response_of_the_broker(capsys: pytest.CaptureFixture[str]) -> None:
    """One object."""
    assert main(["clock", "advance", "2m", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["advanced_ms"] == 120_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["advance"], "antechamber clock: advance: give a duration such as 45s, or an event"),
        (["advance", "1s", "--to", "timer"], "advance: give a duration such as 45s"),
        (["advance", "45"], "DURATION: '45' is not a whole number with a unit of ms, s, m, h, d"),
        (["freeze", "1s"], "freeze has no duration and no event"),
        (["run", "--topic", "t"], "run has no duration and no event"),
        (["freeze", "--speed", "2"], "--speed: only clock run has a speed"),
        (["advance", "--to", "session"], "--to session: give --member"),
        (["advance", "--to", "transaction"], "--to transaction: give --transactional-id"),
        (["advance", "--to", "retention", "--topic", "t"], "--to retention: give --partition"),
    ],
)
def test_arguments_that_do_not_belong_together_are_refused(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one line, and exit code 2."""
    assert main(["clock", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run", "--speed", "0"], "--speed: '0' is not a number from 0.001 to 1000"),
        (
            ["advance", "500d"],
            "DURATION in ms: '43200000000' is not a whole number from 0 to 31622400000",
        ),
        (
            ["advance", "--to", "timer", "--member", "x"],
            "--member: not allowed here; allowed are --to",
        ),
    ],
)
def test_what_the_broker_refuses_is_one_line(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2 and the option, if it is about a parameter."""
    assert main(["clock", *arguments]) == 2
    assert capsys.readouterr().err == f"antechamber clock: {line}\n"
