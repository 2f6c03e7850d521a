"""A broker as a child process, replaced by a short Python script."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from io import BytesIO

import pytest

from antechamber import broker_process
from antechamber.broker_process import BrokerProcess, StartError, first_line

READY = """
import pathlib, sys, json
file = pathlib.Path(sys.argv[sys.argv.index("--ready-file") + 1])
file.write_text(json.dumps({"arguments": sys.argv[1:]}))
print("ready", flush=True)
"""
UNTIL_STDIN_CLOSES = "import sys; sys.stdin.read()"

Start = Callable[..., BrokerProcess]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start a process that runs a script instead of the broker."""

    def start(script: str, *arguments: str, timeout_s: float | None = 30.0) -> BrokerProcess:
        def command(words: Sequence[str]) -> list[str]:
            return [sys.executable, "-c", script, *words]

        monkeypatch.setattr(broker_process, "command", command)
        process = BrokerProcess(arguments)
        process.wait_until_ready(timeout_s)
        return process

    return start


def test_the_ready_file_is_read(start: Start) -> None:
    """Ports are free ones unless the arguments name others."""
    process = start(READY + UNTIL_STDIN_CLOSES, "--brokers", "3")

    arguments = process.ready["arguments"]
    assert arguments[:4] == ["--port", "0", "--admin-port", "0"]
    assert arguments[-2:] == ["--brokers", "3"]
    assert process.exit_code() is None
    assert process.stop() == -signal.SIGTERM


def test_a_process_does_not_have_the_token_of_another_broker(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would require that token; the variables are for commands."""
    monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN", "secret")
    script = "import os\nassert 'ANTECHAMBER_ADMIN_TOKEN' not in os.environ\n"

    assert start(script + READY + UNTIL_STDIN_CLOSES).stop() == -signal.SIGTERM


def test_a_failed_start_has_the_brokers_message(start: Start) -> None:
    """The message is what the broker wrote to stderr."""
    with pytest.raises(StartError, match=r"^--port: 1 is taken$"):
        start("import sys; sys.exit('--port: 1 is taken')")


def test_a_failed_start_without_a_message_has_the_exit_code(start: Start) -> None:
    """A killed process, for example, leaves no message."""
    with pytest.raises(StartError, match=r"^the broker ended with exit code 3$"):
        start("import sys; sys.exit(3)")


def test_a_start_that_times_out(start: Start) -> None:
    """The process is killed."""
    with pytest.raises(StartError, match=r"^the broker was not ready within 0.05 s$"):
        start(UNTIL_STDIN_CLOSES, timeout_s=0.05)


def test_a_start_may_have_no_limit(start: Start) -> None:
    """The wait ends when the broker is ready."""
    process = start(READY + UNTIL_STDIN_CLOSES, timeout_s=None)

    assert "arguments" in process.ready
    assert process.stop() == -signal.SIGTERM


def test_a_closed_stream_has_no_first_line() -> None:
    """A start that is cancelled closes it, perhaps before it is read."""
    stream = BytesIO(b"ready\n")
    stream.close()

    assert first_line(stream, 30.0) == b""


def test_stderr_can_be_read_while_the_broker_runs(start: Start) -> None:
    """The end of stderr is returned if it is long."""
    script = "import sys; print('no ' * 9999 + 'never', file=sys.stderr, flush=True)"
    process = start(script + READY + UNTIL_STDIN_CLOSES)

    assert process.stderr().endswith("no no never")
    assert len(process.stderr()) < 10_000
    process.stop()
    assert process.stderr() == ""


def test_a_process_that_ignores_sigterm_is_killed(start: Start) -> None:
    """SIGKILL follows after the timeout."""
    ignoring = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    process = start(ignoring + READY + "while True: signal.pause()")

    assert process.stop(timeout_s=0.05) == -signal.SIGKILL
    assert process.stop() == -signal.SIGKILL


def test_waiting_for_the_exit_code(start: Start) -> None:
    """The exit code of a process that ends by itself is returned."""
    process = start(READY + "sys.exit(7)")

    assert process.exit_code(within_s=30) == 7
    process.stop()
