"""The effects of an unexpected exception on a broker's process."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from antechamber.admin_client import AdminClient
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess
from integration.wire.connection import Connection, string
from integration.wire.requests import api_versions, request

HEARTBEAT = 12
UNKNOWN_SERVER_ERROR = -1


def heartbeat(group_id: str) -> bytes:
    """A heartbeat (v0), for which the broken broker raises an exception."""
    body = string(group_id) + struct.pack(">i", 1) + string("m")
    return request(HEARTBEAT, 0, body, correlation_id=77)


@pytest.fixture
def _contained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTECHAMBER_STRICT")


@contextmanager
def broken_broker(folder: Path, *arguments: str) -> Iterator[tuple[ServerProcess, dict[str, Any]]]:
    """Run the broken broker; yields the process and its ready file's content."""
    ready_file = folder / "ready.json"
    ports = ("--port", "0", "--admin-port", "0", "--ready-file", str(ready_file))
    command = (sys.executable, "-m", "integration.processes.broken_broker", *ports, *arguments)
    process = ServerProcess(command, folder)
    try:
        eventually(ready_file.exists, "the ready file")
        yield process, json.loads(ready_file.read_text())
    finally:
        process.stop()


@pytest.mark.usefixtures("_contained")
def test_a_bug_affects_one_request(tmp_path: Path) -> None:
    """The request gets Kafka's error, connections remain open, and log and statistics report it."""
    with broken_broker(tmp_path) as (process, ready), Connection(ready["bootstrap"]) as client:
        (code,) = struct.unpack_from(">h", client.request(heartbeat("bug")), 4)
        assert code == UNKNOWN_SERVER_ERROR
        assert len(client.request(api_versions())) > 100
        with Connection(ready["bootstrap"]) as other:
            assert len(other.request(api_versions())) > 100

        statistics = AdminClient(ready["admin"]).call("GET", "/v1/statistics")
        assert statistics["nodes"][0]["unexpected_errors"]["requests"] == {"Heartbeat": 1}
        assert process.exit_code is None
        log = process.stderr()
    assert (
        "ERROR node 1: unexpected error in a request: api=Heartbeat version=0 correlation_id=77 "
        "client_id='wire' peer='127.0.0.1'\n    Traceback (most recent call last):\n"
    ) in log
    assert "\n    ZeroDivisionError: a bug\n" in log


def test_in_strict_mode_a_bug_ends_the_process(tmp_path: Path) -> None:
    """The process ends with the traceback, so that no test misses it."""
    with broken_broker(tmp_path) as (process, ready), Connection(ready["bootstrap"]) as client:
        client.send(heartbeat("bug"))

        assert process.wait(60) == 1
        assert "ZeroDivisionError: a bug" in process.stderr()


@pytest.mark.usefixtures("_contained")
def test_a_node_that_is_inconsistent_stops_alone(tmp_path: Path) -> None:
    """Other nodes of the process continue, and the admin interface reports the reason."""
    with broken_broker(tmp_path, "--brokers", "3") as (process, ready):
        addresses = ready["bootstrap"].split(",")
        with Connection(addresses[1]) as client:
            client.send(heartbeat("inconsistent"))
            admin = AdminClient(ready["admin"])

            def states() -> list[str]:
                return [node["state"] for node in admin.cluster()["nodes"]]

            eventually(lambda: states() == ["running", "stopped", "running"], "node 2's end")
            failures = [node["failure"] for node in admin.cluster()["nodes"]]
        assert failures == [None, "InvariantBroken: the log ends too early", None]
        for address in (addresses[0], addresses[2]):
            with Connection(address) as other:
                assert len(other.request(api_versions())) > 100
        assert process.exit_code is None


@pytest.mark.usefixtures("_contained")
def test_the_last_node_ends_the_process(tmp_path: Path) -> None:
    """The exit code is 1, and one line follows the traceback in the log."""
    with broken_broker(tmp_path) as (process, ready), Connection(ready["bootstrap"]) as client:
        client.send(heartbeat("inconsistent"))

        assert process.wait(60) == 1
        *log, last = process.stderr().splitlines()
    assert last == ("antechamber serve: node 1 has failed: InvariantBroken: the log ends too early")
    assert any("Traceback" in line for line in log)
