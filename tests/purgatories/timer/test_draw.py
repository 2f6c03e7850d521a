"""Tests of the picture, and of the command that prints it."""

from __future__ import annotations

import sys

import pytest

from purgatories.timer.draw import draw, main

PICTURE = """\
A task of 450 ms, added at 0; 20 buckets a wheel, ticks from 1 ms
▸ now   ● the task

at 0 ms it goes into level 3
  level 3     400 ms  ▸ ● · · · · · · · · · · · · · · · · · ·  0 .. 7,999 ms
  level 2      20 ms  ▸ · · · · · · · · · · · · · · · · · · ·  0 .. 399 ms
  level 1       1 ms  ▸ · · · · · · · · · · · · · · · · · · ·  0 .. 19 ms
  that bucket fires at 400 ms

at 400 ms it moves into level 2
  level 3     400 ms  ▸ · · · · · · · · · · · · · · · · · · ·  400 .. 8,399 ms
  level 2      20 ms  ▸ · ● · · · · · · · · · · · · · · · · ·  400 .. 799 ms
  level 1       1 ms  ▸ · · · · · · · · · · · · · · · · · · ·  400 .. 419 ms
  that bucket fires at 440 ms

at 440 ms it moves into level 1
  level 3     400 ms  ▸ · · · · · · · · · · · · · · · · · · ·  400 .. 8,399 ms
  level 2      20 ms  ▸ · · · · · · · · · · · · · · · · · · ·  440 .. 839 ms
  level 1       1 ms  ▸ · · · · · · · · · ● · · · · · · · · ·  440 .. 459 ms
  that bucket fires at 450 ms

at 450 ms it runs"""


def test_picture_of_a_450_ms_task() -> None:
    """The complete picture of a task of 450 ms."""
    assert draw(450) == PICTURE


def test_no_delay_needs_no_wheel() -> None:
    """A task without delay runs at once."""
    assert draw(0).endswith("▸ now   ● the task\n\nat 0 ms it runs")


@pytest.mark.parametrize("delay_ms", [1, 19, 20, 399, 400, 8000, 123_456_789, 10**12])
def test_every_picture_ends_at_the_delay(delay_ms: int) -> None:
    """The picture ends at the exact delay, for any number of levels."""
    assert draw(delay_ms).endswith(f"at {delay_ms:,} ms it runs")


def test_command_draws_the_given_delay(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The delay is an argument; the default is 450."""
    monkeypatch.setattr(sys, "argv", ["draw", "450"])
    main()
    assert capsys.readouterr().out == PICTURE + "\n"


@pytest.mark.parametrize(
    "arguments",
    [["-1"], ["soon"], ["1e3"], [str(10**13)], ["--tick-ms", "0"], ["--wheel-size", "1"]],
)
def test_bad_arguments_are_refused(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An invalid argument gives exit code 2 and one line that names it."""
    monkeypatch.setattr(sys, "argv", ["draw", *arguments])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    assert "error:" in capsys.readouterr().err
