"""Predictions of `antechamber what-if`, compared with a broker that has the other settings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from antechamber import Cluster
from integration.machine.deadlines import ENDS_WITHIN_S
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce

POLLS = 8
LONG_MS, SHORT_MS = 400, 100
TOLERANCE_MS = 2  # a wait ends with a tick of the timer


def recorded(path: Path, max_wait_ms: int) -> list[float]:
    """The latencies of the polls of an idle topic, after a produce and a fetch of its record.

    The clock advances only while a poll is parked.
    """
    with Cluster(topics="orders", records=path) as kafka, Connection(kafka.bootstrap) as client:
        kafka.clock.freeze()
        client.request(produce("orders", 0, batch([b"x"])))
        client.request(fetch("orders", 0, 0, max_wait_ms=max_wait_ms))
        for _ in range(POLLS):
            client.send(fetch("orders", 0, 1, max_wait_ms=max_wait_ms))
            kafka.wait_parked("Fetch")
            kafka.clock.advance_to_request_timeout("Fetch")
            client.receive()
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return [each["total_us"] / 1000 for each in records if each["purgatory"] == "Fetch"]


def what_if(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-m", "antechamber", "what-if", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False
    )


def test_a_prediction_is_what_a_broker_with_that_setting_does(tmp_path: Path) -> None:
    """Polls of an idle topic last for their new maximum, and so do the predicted ones."""
    path = tmp_path / "long.jsonl"
    recorded(path, LONG_MS)
    ran = what_if(path, "--max-wait-ms", str(SHORT_MS), "--json")
    assert ran.returncode == 0, ran.stderr
    apis: dict[str, Any] = json.loads(ran.stdout)["apis"]
    measured = recorded(tmp_path / "short.jsonl", SHORT_MS)

    found = apis["Fetch"]
    assert abs(found["error"]["p50"]) <= TOLERANCE_MS
    assert found["recorded"]["requests"] == POLLS + 1
    assert found["changed"]["requests"] > 2 * POLLS
    assert len(measured) == POLLS
    assert abs(found["changed"]["p50"] - median(measured)) <= TOLERANCE_MS
    assert apis["Produce"]["recorded"]["requests"] == 1


def test_a_file_without_records_is_one_line(tmp_path: Path) -> None:
    """The exit code is 2, and the line names the file and what to give."""
    path = tmp_path / "words"
    path.write_text("words\n")
    ran = what_if(path)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"antechamber what-if: RECORDS: {path}:1 is not a wait record; "
        "give a file of antechamber serve --records\n"
    )
