"""No acknowledged record is lost when a writer or the broker is killed with SIGKILL.

`integration.storage.crash` kills as many writers as requested, from a random seed.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

from integration.machine.deadlines import ENDS_WITHIN_S
from integration.processes.antechamber import Serve
from integration.wire.batches import batch, values
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_fetch, read_produce

TIMES = 40
DEATHS_OF_A_BROKER = 3
SEED = 0
BATCH = 10


def test_a_killed_writer_loses_no_completed_operation() -> None:
    """Kills occur at various moments, also in recovery."""
    options = ["--times", str(TIMES), "--seed", str(SEED)]
    command = [sys.executable, "-m", "integration.storage.crash", *options]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{TIMES} killed" in done.stdout


def test_a_killed_broker_loses_no_acknowledged_record(serve: Serve, tmp_path: Path) -> None:
    """It is killed while a producer sends batches, and restarted on the same files."""
    chance = random.Random(SEED)
    acknowledged = 0
    for _ in range(DEATHS_OF_A_BROKER):
        broker = serve("--data-dir", str(tmp_path), "--topic", "t")
        with Connection(broker.bootstrap) as connection:
            found = _count(connection)
            assert acknowledged <= found <= acknowledged + BATCH
            death = threading.Timer(chance.uniform(0.02, 0.3), broker.process.kill)
            death.start()
            acknowledged = _produce_until_it_dies(connection, found)
            death.join()
    assert acknowledged


def _count(connection: Connection) -> int:
    """Return the number of records, and check their offsets."""
    found = 0
    while batches := read_fetch(connection.request(fetch("t", 0, found, max_wait_ms=0))).records:
        for offset, value in values(batches):
            assert (offset, value) == (found, b"%d" % found)
            found += 1
    return found


def _produce_until_it_dies(connection: Connection, end: int) -> int:
    """The offset after the last acknowledged record."""
    while True:
        sent = produce("t", 0, batch([b"%d" % (end + delta) for delta in range(BATCH)]))
        try:
            response = read_produce(connection.request(sent))
        except (EOFError, OSError):
            return end
        assert (response.error, response.base_offset) == (0, end)
        end += BATCH
