"""A client that follows the protocol: it produces numbered records, and reads them at the end.

It runs in a process of its own, so that the fuzzer does not delay it. When its stdin is closed, it
checks that all acknowledged records can be read, and prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import threading
import time

from integration.wire.batches import batch, values
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_fetch, read_produce

TOPIC = "reserved"
_PAUSE_SECONDS = 0.005
_READ_BYTES = 1 << 20


def main() -> int:
    """Produce until stdin is closed, then read all; the exit code is 1 if a record is lost."""
    bootstrap = sys.argv[1]
    ended = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    latencies_ms: list[float] = []
    acknowledged: dict[int, bytes] = {}
    with Connection(bootstrap) as connection:
        while not ended.is_set():
            value = b"%d" % len(latencies_ms)
            begin = time.perf_counter()
            response = read_produce(connection.request(produce(TOPIC, 0, batch([value]))))
            latencies_ms.append((time.perf_counter() - begin) * 1000)
            assert response.error == 0, response
            acknowledged[response.base_offset] = value
            time.sleep(_PAUSE_SECONDS)
    found = _read_all(bootstrap, len(acknowledged))
    lost = [offset for offset, value in acknowledged.items() if found.get(offset) != value]
    latencies_ms.sort()
    facts = {
        "acknowledged": len(acknowledged),
        "lost": len(lost),
        **{f"p{p}_ms": round(latencies_ms[len(latencies_ms) * p // 100], 2) for p in (50, 99)},
        "max_ms": round(latencies_ms[-1], 1),
    }
    print(json.dumps(facts))
    return 1 if lost else 0


def _read_all(bootstrap: str, count: int) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    with Connection(bootstrap) as connection:
        while len(found) < count:
            requested = fetch(TOPIC, 0, len(found), max_wait_ms=0, max_bytes=_READ_BYTES)
            records = dict(values(read_fetch(connection.request(requested)).records))
            if not records:
                break
            found |= records
    return found


if __name__ == "__main__":
    sys.exit(main())
