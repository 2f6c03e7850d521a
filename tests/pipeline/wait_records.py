"""Generates wait records for tests from a seed, by simulating offsets and waits.

A Produce appends and usually waits for its followers. A Fetch finds records, or waits for the next
Produce of its partition or for its timeout. Offsets, waits and causes of different records
therefore agree, as in a broker's records.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]

EPOCH_US = 1_763_715_600_000_000  # 2025-11-21 09:00:00 UTC
FETCH_WAIT_MS = 500
PRODUCE_WAIT_MS = 30_000
PARTITIONS = (("orders", 0), ("orders", 1), ("payments", 0))


class Bookkeeper:
    """The state between requests: log end offsets, positions of consumers, waiting fetches."""

    def __init__(self, seed: int, pace_us: float) -> None:
        self.random = random.Random(seed)
        self.now_us = EPOCH_US
        self.pace_us = pace_us
        self.ends = dict.fromkeys(PARTITIONS, 0)
        self.positions = dict.fromkeys(PARTITIONS, 0)
        self.waiting: dict[tuple[str, int], Record] = {}
        self.correlation_id = 0

    def record(self, api: str, version: int, client: str | None, **fields: Any) -> Record:
        """Return the record of a request that arrives now and does not wait."""
        self.correlation_id += 1
        return {
            "schema": 1,
            "node": 1,
            "connection": len(client or "") % 7,
            "client_id": client,
            "principal": "User:ANONYMOUS" if client is None else f"User:{client}",
            "listener": "PLAINTEXT" if client is None else "SASL_SSL",
            "correlation_id": self.correlation_id,
            "api": api,
            "version": version,
            "arrived_us": self.now_us,
            "queued_us": self.random.choice((0, 0, 0, 40, 900)),
            "local_us": int(self.random.lognormvariate(5, 0.6)),
            "parked_us": 0,
            "send_us": int(self.random.expovariate(1 / 30)),
            "total_us": 0,
            "purgatory": None,
            "waited_for": None,
            "timeout_ms": None,
            "checks": 0,
            "completed_by": {"cause": "arrival"},
            "earlier_waits": [],
            "stalled_by": None,
            "throttle": None,
            "muted_by": None,
            "fault": None,
            "partitions": [],
            "error": 0,
            **fields,
        }

    def produce(self) -> Iterator[Record]:
        """Return the records of a Produce with ``acks=all`` and of the fetch that it completes."""
        place = topic, partition = self.random.choice(PARTITIONS)
        count = self.random.randint(1, 20)
        base, high_watermark = self.ends[place], self.ends[place]
        self.ends[place] = end = base + count
        written = {"topic": topic, "partition": partition, "offset": base, "records": count}
        written |= {"bytes": 90 * count, "error": 0}
        written |= {"high_watermark": high_watermark, "log_end_offset": end}
        record = self.record("Produce", 11, "billing", partitions=[written])
        record["timeout_ms"] = PRODUCE_WAIT_MS
        if fetch := self.waiting.pop(place, None):
            yield self.end_fetch(place, fetch, record)
        if self.random.random() < 0.7:
            self.park_produce(record, written)
        yield finished(record)

    def park_produce(self, record: Record, written: Record) -> None:
        """Let a Produce wait for node 3; one of 200 times out."""
        end, had = written["log_end_offset"], written["high_watermark"]
        record["purgatory"] = "Produce"
        record["waited_for"] = {"kind": "high_watermark", "topic": written["topic"]}
        record["waited_for"] |= {"partition": written["partition"], "need": end, "had": had}
        record["waited_for"]["behind"] = [3]
        record["checks"] = self.random.randint(1, 4)
        if self.random.random() < 0.005:
            record["parked_us"] = PRODUCE_WAIT_MS * 1000
            record["completed_by"] = {"cause": "timeout"}
            written["error"] = 7
        else:
            record["parked_us"] = int(self.random.lognormvariate(9, 1) * written["records"] ** 0.5)
            where = {"topic": written["topic"], "partition": written["partition"], "offset": end}
            fetched = {"api": "Fetch", "client_id": "follower-3", "correlation_id": end}
            record["completed_by"] = {"cause": "high_watermark", **where, "replica": 3}
            record["completed_by"]["request"] = fetched

    def fetch(self) -> Iterator[Record]:
        """Return the record of a Fetch, or park it if there are no records."""
        place = topic, partition = self.random.choice(PARTITIONS)
        if place in self.waiting:
            return
        position, end = self.positions[place], self.ends[place]
        read = {"topic": topic, "partition": partition, "offset": position, "records": 0}
        read |= {"bytes": 0, "error": 0, "high_watermark": end, "log_end_offset": end}
        record = self.record("Fetch", 17, "shipping", partitions=[read], timeout_ms=FETCH_WAIT_MS)
        if end > position:
            self.deliver(place, read)
            yield finished(record)
        else:
            self.waiting[place] = record

    def end_fetch(self, place: tuple[str, int], record: Record, produce: Record) -> Record:
        """Complete a waiting fetch: by this Produce, or by its earlier timeout."""
        waited_us = self.now_us - record["arrived_us"]
        record["purgatory"], record["checks"] = "Fetch", 2
        record["waited_for"] = {"kind": "min_bytes", "need": 1, "had": 0}
        if waited_us > FETCH_WAIT_MS * 1000:
            record["parked_us"] = FETCH_WAIT_MS * 1000
            record["completed_by"] = {"cause": "timeout"}
            return finished(record)
        record["parked_us"] = waited_us + produce["local_us"]
        self.deliver(place, record["partitions"][0])
        by = {name: produce[name] for name in ("api", "client_id", "correlation_id")}
        where = {"topic": place[0], "partition": place[1], "offset": self.ends[place]}
        record["completed_by"] = {"cause": "append", **where, "request": by}
        return finished(record)

    def deliver(self, place: tuple[str, int], read: Record) -> None:
        """Deliver all available records."""
        read["records"] = self.ends[place] - self.positions[place]
        read["bytes"] = 90 * read["records"]
        self.positions[place] = self.ends[place]

    def other(self) -> Iterator[Record]:
        """Return the record of a request without partitions."""
        api, version = self.random.choice((("Metadata", 12), ("Heartbeat", 4)))
        yield finished(self.record(api, version, self.random.choice(("billing", None))))

    def step(self) -> Iterator[Record]:
        """Return the records that the next request completes."""
        self.now_us += 1 + int(self.random.expovariate(1 / self.pace_us))
        kind = self.random.random()
        return self.produce() if kind < 0.5 else self.fetch() if kind < 0.95 else self.other()


def finished(record: Record) -> Record:
    """Return the record with the sum of its phases."""
    phases = ("queued_us", "local_us", "parked_us", "send_us")
    record["total_us"] = sum(record[phase] for phase in phases)
    return record


def wait_records(count: int, *, seed: int = 1, pace_us: float = 50_000) -> list[Record]:
    """Return *count* records; requests arrive *pace_us* apart on average."""
    books, made = Bookkeeper(seed, pace_us), list[Record]()
    while len(made) < count:
        made += books.step()
    return made[:count]


def json_lines(records: list[Record]) -> str:
    """Return records as lines of a file."""
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
