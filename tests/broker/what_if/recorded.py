"""Wait records of produces and fetches, for tests of the replay."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from broker.admin.facts.json_object import JsonObject
from broker.what_if.recording import Recording, read

EPOCH_US = 1_700_000_000_000_000


def produce(at_ms: float, offset: int, *, size: int = 200, **fields: Any) -> JsonObject:
    """A produce with one batch that did not wait, handled within a millisecond."""
    places = [place(offset, size=size)]
    return _record("Produce", at_ms, 0, {"client_id": "writer", "partitions": places, **fields})


def fetch(at_ms: float, parked_ms: float, offset: int, size: int = 0, **fields: Any) -> JsonObject:
    """A fetch with ``fetch.max.wait.ms`` 500 that waited, and ended with *size* bytes."""
    wait = {
        "purgatory": "Fetch",
        "waited_for": {"kind": "min_bytes", "need": 1, "had": 0},
        "timeout_ms": 500,
        "completed_by": {"cause": "append" if size else "timeout"},
    }
    given = {"client_id": "reader", "connection": 2, "partitions": [place(offset, size=size)]}
    return _record("Fetch", at_ms, parked_ms, {**given, **wait, **fields})


def place(offset: int, *, partition: int = 0, size: int = 0, error: int = 0) -> JsonObject:
    """A partition of a request."""
    named = {"topic": "orders", "partition": partition, "offset": offset}
    return {**named, "records": 1, "bytes": size, "error": error}


def recording(folder: Path, records: Iterable[JsonObject]) -> Recording:
    """What is read from a file with *records*."""
    return read([file_of(folder, *map(json.dumps, records))])


def file_of(folder: Path, *lines: str) -> Path:
    """A file with *lines*."""
    path = folder / "waits.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def _record(api: str, at_ms: float, parked_ms: float, fields: JsonObject) -> JsonObject:
    return {
        "api": api,
        "node": 1,
        "connection": 1,
        "arrived_us": EPOCH_US + round(at_ms * 1000),
        "local_us": 1000,
        "parked_us": round(parked_ms * 1000),
        "send_us": 0,
        "total_us": 1000 + round(parked_ms * 1000),
        "purgatory": None,
        "waited_for": None,
        "timeout_ms": None,
        "completed_by": {"cause": "arrival"},
        "fault": None,
        "error": 0,
        **fields,
    }
