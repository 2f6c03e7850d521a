"""Tests of the command that prints a path."""

from __future__ import annotations

import json
import sys

import pytest

from purgatories.timer.__main__ import main
from purgatories.timer.path import path


def test_the_command_prints_a_json_object_for_each_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps are those of `path`, with the cancellations."""
    monkeypatch.setattr(sys, "argv", ["timer", "450", "446", "--cancel", "446@100"])
    assert main() == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert printed == list(path([450, 446], {446: 100}))


def test_a_tick_may_be_a_fraction_of_a_millisecond(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps are those of `path` with that tick."""
    monkeypatch.setattr(sys, "argv", ["timer", "450", "--tick-ms", "0.125"])
    assert main() == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert printed == list(path([450], tick_ms=0.125))
    assert printed[0]["timer"]["levels"][0]["tick_ms"] == 0.125


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-1"], "delay_ms: -1 given, 0 to 1000000000000 allowed"),
        (["450", "--tick-ms", "0"], "--tick-ms: 0 given, 0.001 to 1000000000000 allowed"),
        (["450", "--tick-ms", "nan"], "--tick-ms: nan given, 0.001 to 1000000000000 allowed"),
        (["450", "--wheel-size", "1"], "--wheel-size: 1 given, 2 to 60 allowed"),
        (["450", "--cancel", "7@1"], "--cancel: no task has the delay 7"),
        (["450", "--cancel", "x"], "argument --cancel: 'x' is not DELAY@TIME, both in ms"),
        (["1"] * 101, "delay_ms: 101 given, at most 100 allowed"),
    ],
)
def test_an_invalid_argument_is_one_line(
    arguments: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The line names the argument and what is allowed."""
    monkeypatch.setattr(sys, "argv", ["timer", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err.strip().endswith(f"error: {complaint}")
