"""The output of the commands of a running broker: closed pipes, full devices, no colours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaProducer

from antechamber import Cluster
from integration.machine.deadlines import ENDS_WITHIN_S

COMMANDS = (
    "requests",
    "requests --json",
    "requests --parked",
    "explain --api Produce",
    "export --perfetto -",
    "groups",
    "connections",
    "wait hw --json",
    "sessions",
    "share",
    "transactions",
    "wheel",
)
FULL = Path("/dev/full")
COLOUR = "\x1b[3"  # the beginning of the codes 30 to 37


@pytest.fixture(scope="module")
def admin(against: str) -> Iterator[str]:
    """The admin interface of a broker with a recorded produce."""
    if against != "antechamber":
        pytest.skip("tests our own commands")
    with Cluster(topics=["orders"], record=True) as kafka:
        with KafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
            producer.send("orders", b"one").get(timeout=30)
        yield kafka.admin


def shell(
    admin: str, command: str, then: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command, with its output redirected by a shell."""
    return subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m antechamber {command} {then}'],
        env={**os.environ, "ANTECHAMBER_ADMIN": admin, **variables},
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_pipe_ends_a_command_in_silence(admin: str, command: str) -> None:
    """The reader has ended before the first line is written."""
    done = shell(admin, command, "| true")

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_device_is_one_line(admin: str, command: str) -> None:
    """And the exit code is 1."""
    done = shell(admin, command, f">{FULL}")

    assert (done.returncode, done.stderr) == (
        1,
        "antechamber: write error: No space left on device\n",
    )


@pytest.mark.parametrize(
    "command", ["requests", "requests --parked", "explain --api Produce", "wheel"]
)
def test_no_color_is_respected(admin: str, command: str) -> None:
    """Also where a terminal is forced."""
    done = shell(admin, command, "", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color")

    assert done.returncode == 0
    assert done.stdout
    assert COLOUR not in done.stdout


def test_requests_are_coloured_in_a_terminal(admin: str) -> None:
    """So the test above can fail."""
    done = shell(admin, "requests", "", FORCE_COLOR="1", TERM="xterm-256color")

    assert "\x1b[" in done.stdout
