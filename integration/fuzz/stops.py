"""`python -m integration.fuzz.stops --stops N`: stop brokers under load, at random moments.

Producers, and consumers whose fetches wait for a few milliseconds, use the first of one or three
nodes. It refuses the requests for partitions that another node leads, without a wait. Each stop
must end with exit code 0, and the log must have no traceback: a broker must not use what the stop
has closed before.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from integration.processes.antechamber import Antechamber
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce

_NODES = (1, 3)
_BUSY, _EMPTY = "busy", "empty"
_PARTITIONS = 2
_CLIENTS_OF_A_KIND = 4
_WAIT_MS_MAX = 6
_LOAD_SECONDS_MAX = 0.5


def main() -> int:
    """Stop brokers; the exit code is 1 after a finding."""
    parser = argparse.ArgumentParser(prog="python -m integration.fuzz.stops", description=__doc__)
    parser.add_argument("--stops", type=int, default=100, help="number of brokers to stop")
    options = parser.parse_args()
    os.environ["ANTECHAMBER_STRICT"] = "1"
    failed = 0
    for _ in range(options.stops):
        finding = _stop_under_load(random.choice(_NODES), random.uniform(0, _LOAD_SECONDS_MAX))
        if finding:
            failed += 1
            print(finding, flush=True)
    print(f"{options.stops} stops, {failed} failed")
    return 1 if failed else 0


def _stop_under_load(nodes: int, load_seconds: float) -> str:
    """What is wrong with the stop of a new broker; empty if nothing is."""
    shape = f"{_PARTITIONS}:{nodes}"
    topics = ("--topic", f"{_BUSY}:{shape}", "--topic", f"{_EMPTY}:{shape}")
    with (
        Antechamber("--brokers", str(nodes), *topics) as broker,
        ThreadPoolExecutor(2 * _CLIENTS_OF_A_KIND) as clients,
    ):
        for number in range(_CLIENTS_OF_A_KIND):
            for requests in (_produces, _fetches):
                clients.submit(_send, broker.bootstrap, requests(number % _PARTITIONS))
        time.sleep(load_seconds)
        code, errors = broker.process.stop(), broker.process.stderr()
    return f"exit code {code}: {errors}" if code or "Traceback" in errors else ""


def _send(bootstrap: str, requests: Iterator[bytes]) -> None:
    """Send one request after the other until the broker closes the connection."""
    try:
        with Connection(bootstrap) as connection:
            for request in requests:
                connection.request(request)
    except (EOFError, OSError):
        return


def _produces(partition: int) -> Iterator[bytes]:
    request = produce(_BUSY, partition, batch([b"new"]))
    while True:
        yield request


def _fetches(partition: int) -> Iterator[bytes]:
    while True:
        yield fetch(_EMPTY, partition, 0, max_wait_ms=random.randint(0, _WAIT_MS_MAX))


if __name__ == "__main__":
    sys.exit(main())
