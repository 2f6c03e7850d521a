"""A broker as a child process; here a few lines of Python stand in for it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence

import pytest

from antechamber import broker_process
from antechamber.broker_process import BrokerProcess, StartError

READY = """
import pathlib, sys, json
file = pathlib.Path(sys.argv[sys.argv.index("--ready-file") + 1])
file.write_text(json.dumps({"arguments": sys.argv[1:]}))
print("ready", flush=True)
"""
UNTIL_TOLD = "import sys; sys.stdin.read()"

Start = Callable[..., BrokerProcess]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start a process that runs a script instead of the broker."""

    def start(script: str, *arguments: str, timeout_s: float = 30.0) -> BrokerProcess:
        def command(words: Sequence[str]) -> list[str]:
            return [sys.executable, "-c", script, *words]

        monkeypatch.setattr(broker_process, "command", command)
        return BrokerProcess(arguments, timeout_s)

    return start


def test_it_is_ready_when_it_says_so(start: Start) -> None:
    """The ready file is read; the ports are free ones, unless the arguments say otherwise."""
    process = start(READY + UNTIL_TOLD, "--brokers", "3")

    arguments = process.ready["arguments"]
    assert arguments[:5] == ["--port", "0", "--admin-port", "0", "--stop-with-stdin"]
    assert arguments[-2:] == ["--brokers", "3"]
    assert process.exit_code() is None
    assert process.stop() == -signal.SIGTERM


def test_a_start_that_fails_has_the_brokers_line(start: Start) -> None:
    """Of which there is one, on stderr."""
    with pytest.raises(StartError, match=r"^--port: 1 is taken$"):
        start("import sys; sys.exit('--port: 1 is taken')")


def test_a_start_that_fails_without_a_word_has_its_code(start: Start) -> None:
    """Such as being killed."""
    with pytest.raises(StartError, match=r"^the broker ended with exit code 3$"):
        start("import sys; sys.exit(3)")


def test_a_start_that_takes_too_long_is_given_up(start: Start) -> None:
    """The process is gone then."""
    with pytest.raises(StartError, match=r"^the broker was not ready within 0.05 s$"):
        start(UNTIL_TOLD, timeout_s=0.05)


def test_what_it_complains_about_can_be_read_while_it_runs(start: Start) -> None:
    """The last of it, also after more has been written."""
    complaining = "import sys; print('no ' * 9999 + 'never', file=sys.stderr, flush=True)"
    process = start(complaining + READY + UNTIL_TOLD)

    assert process.stderr().endswith("no no never")
    assert len(process.stderr()) < 10_000
    process.stop()
    assert process.stderr() == ""


def test_one_that_does_not_listen_is_killed(start: Start) -> None:
    """After the time it is given."""
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    process = start(deaf + READY + "while True: signal.pause()")

    assert process.stop(timeout_s=0.05) == -signal.SIGKILL
    assert process.stop() == -signal.SIGKILL


def test_its_end_can_be_awaited(start: Start) -> None:
    """The exit code of a process that ends by itself."""
    process = start(READY + "sys.exit(7)")

    assert process.exit_code(within_s=30) == 7
    process.stop()
