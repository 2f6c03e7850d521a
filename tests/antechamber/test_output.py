"""Commands whose output cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antechamber.output import guarded

FULL = Path("/dev/full")
COMMANDS = [
    "help",
    "--version",
    *(f"{command} --help" for command in ("requests", "explain", "fault", "doctor")),
    "completion zsh",
    "doctor",
    "serve --list-keys",
    *(f"{command} --help" for command in ("serve", "record", "analyze")),
]


def run(command: str, redirection: str) -> tuple[int, str]:
    """Return the exit code and stderr of a command, with its output redirected by a shell."""
    words = f'exec "{sys.executable}" -m antechamber {command} {redirection}'
    ended = subprocess.run(
        ["sh", "-c", words], stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    return ended.returncode, ended.stderr


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_device(command: str) -> None:
    """The error is one line, and the exit code is 1."""
    code, error = run(command, ">/dev/full")

    assert (code, error) == (1, "antechamber: write error: No space left on device\n")


@pytest.mark.parametrize("command", ["help", "--version"])
def test_a_closed_stdout(command: str) -> None:
    """The error is one line, and the exit code is 1."""
    code, error = run(command, ">&-")

    assert (code, error) == (1, "antechamber: write error: Bad file descriptor\n")


@pytest.mark.parametrize("command", ["serve", "record", "analyze"])
def test_help_without_a_stdout_is_printed_on_stderr(command: str) -> None:
    """argparse prints its help to stderr then."""
    code, error = run(f"{command} --help", ">&-")

    assert code == 0
    assert error.startswith(f"usage: antechamber {command} ")
    assert "Traceback" not in error


@pytest.mark.parametrize("command", ["wheel --of 4", "wheel --help", "what-if --help"])
@pytest.mark.parametrize("encoding", ["ascii", "ascii:surrogateescape"])
def test_a_character_that_the_encoding_does_not_have(
    encoding: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is replaced, and the command does not fail."""
    monkeypatch.setenv("PYTHONIOENCODING", encoding)

    assert run(command, ">/dev/null") == (0, "")


def test_a_closed_stderr() -> None:
    """The exit code is the command's."""
    assert run("nonsense", ">&- 2>&-") == (2, "")


def test_a_closed_pipe_ends_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """The command ends without a message."""

    def command() -> int:
        raise BrokenPipeError

    saved = os.dup(1)
    try:
        assert guarded("antechamber", command) == 1
    finally:
        os.dup2(saved, 1)
        os.close(saved)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("command", ["completion bash", "serve --list-keys"])
def test_a_reader_that_ends_early(command: str) -> None:
    """As `head` does after its lines: there is no message."""
    words = f'"{sys.executable}" -m antechamber {command} | head -1'
    ended = subprocess.run(["sh", "-c", words], capture_output=True, timeout=60, check=False)

    assert ended.stdout.count(b"\n") == 1
    assert ended.stderr == b""


def test_the_exit_code_of_a_command() -> None:
    """It is returned if all output is written."""
    assert guarded("antechamber", lambda: 7) == 7
