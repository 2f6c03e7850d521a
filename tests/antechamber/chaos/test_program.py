"""Runs of programs, with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from antechamber.chaos.program import Outcome, run_program
from antechamber.usage_error import UsageError

GENEROUS_S = 60
SLEEPS = "import threading; threading.Event().wait()"
# Starts a process that has the same stdout and does not end by itself.
LEAVES_A_CHILD = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPS!r}])\n"


def python(script: str, timeout_s: float = GENEROUS_S, **variables: str) -> Outcome:
    """Run a script."""
    return run_program([sys.executable, "-c", script], variables, timeout_s)


def test_a_program_that_succeeds() -> None:
    """Its output is kept, stderr included."""
    outcome = python("import sys; print('one', flush=True); print('two', file=sys.stderr)")

    assert not outcome.failed
    assert outcome.description == "exit code 0"
    assert outcome.last_lines(20) == ["one", "two"]


def test_a_program_that_fails() -> None:
    """The exit code is the result."""
    outcome = python("raise SystemExit(7)")

    assert (outcome.failed, outcome.description) == (True, "exit code 7")


def test_a_program_gets_the_variables_and_no_input() -> None:
    """Its own environment is kept."""
    outcome = python("import os, sys; print(os.environ['KAFKA'], sys.stdin.read())", KAFKA="a:1")

    assert outcome.last_lines(1) == ["a:1"]


def test_a_program_that_a_signal_ends() -> None:
    """The signal has a name."""
    outcome = python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")

    assert (outcome.exit_code, outcome.description) == (-9, "SIGKILL")
    assert Outcome(-99, 1.0).description == "signal 99"


def test_a_program_that_does_not_end() -> None:
    """It is ended at the time limit, and has failed."""
    outcome = python(SLEEPS, timeout_s=0.2)

    assert (outcome.exit_code, outcome.failed) == (None, True)
    assert outcome.description == "no end within 0.2 s"


@pytest.mark.parametrize(("rest", "timeout_s"), [("", GENEROUS_S), (SLEEPS, 2)])
def test_the_children_of_a_program_end_with_it(rest: str, timeout_s: float) -> None:
    """When it ends by itself, and at the time limit; the pipe ends with its last process."""
    reading, writing = os.pipe()
    with open(reading, "rb") as output:
        with open(writing, "wb") as pipe:
            run_program([sys.executable, "-c", LEAVES_A_CHILD + rest], {}, timeout_s, pipe)
        assert output.read() == b""


def test_an_interrupted_run_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by Ctrl-C."""
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def wait(self, timeout: float | None = None) -> int:
            if self not in started:
                started.append(self)
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        python(SLEEPS)

    assert started[0].returncode == -signal.SIGKILL


def test_a_program_that_does_not_exist() -> None:
    """The error names it."""
    with pytest.raises(UsageError, match="cannot start 'no-such-program': No such file"):
        run_program(["no-such-program"], {}, GENEROUS_S)


def test_the_output_can_go_elsewhere() -> None:
    """Then the result has none."""
    with tempfile.TemporaryFile("w+b") as file:
        words = [sys.executable, "-c", "print('one')"]
        outcome = run_program(words, {}, GENEROUS_S, file)
        file.seek(0)
        assert file.read() == b"one\n"
    assert outcome.output == ""


def test_control_characters_are_not_shown() -> None:
    """They could change the terminal."""
    assert Outcome(1, 1.0, "a\x1b[2Jb\tc\n").last_lines(20) == ["a [2Jb c"]
