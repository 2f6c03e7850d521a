"""Names that clients choose are escaped in terminals, logs and files."""

from __future__ import annotations

import json
import subprocess
import sys

from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.processes.antechamber import Antechamber, Serve
from integration.wire.connection import Connection
from protocol.headers import encode_request
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic

NAME = "evil\x1b[2J\nERROR forged\u202e"
SHOWN = r"evil\x1b[2J\nERROR forged\u202e"
_VERSION = 12
_FROM_THE_BEGINNING = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)


def command(broker: Antechamber, *arguments: str) -> str:
    """Return the output of a command on a terminal and in a pipe."""
    requested = [sys.executable, "-m", "antechamber", *arguments, "--admin", broker.ready["admin"]]
    return subprocess.run(
        requested, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=True
    ).stdout


def test_a_client_id_is_escaped(serve: Serve) -> None:
    """It is escaped in tables, explanations, JSON and log lines; both forms can be searched for."""
    broker = serve("--record", "-v", "--topic", "t")
    waiting = FetchRequest(
        max_wait_ms=60_000,
        min_bytes=1,
        topics=[FetchTopic(topic="t", partitions=[_FROM_THE_BEGINNING])],
    )
    with Connection(broker.bootstrap) as connection:
        connection.send(encode_request(waiting, _VERSION, 1, NAME))
        eventually(lambda: bool(broker.admin.requests(parked=1)), "the fetch waits")

        table = command(broker, "requests", "--parked", "--client", SHOWN)
        [line] = command(broker, "requests", "--parked", "--json").splitlines()
        reported = command(broker, "explain", "--client", NAME)

    for text in (table, line, reported, broker.process.stderr()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert json.loads(line)["client_id"] == SHOWN
    assert SHOWN.replace(" ", "") in "".join(table.split())
    assert f"client={SHOWN}" in broker.process.stderr()
    assert not any(each.startswith("ERROR") for each in broker.process.stderr().splitlines())
