"""What the clients of a recording did, read from its wait records.

    Produce    sent at its recorded time: the application decides when
    Fetch      a loop: the next one is sent a recorded time after the response, because a consumer
               that gets its response earlier also fetches earlier

Times are milliseconds since the first request.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from broker.common.errors import StartupError
from broker.common.topic_partition import TopicPartition
from protocol.lazy_dataclass import dataclass

Record = Mapping[str, Any]
Connection = tuple[int, int]  # node, and connection of the node

# Consumers whose fetches never waited do not show these; the defaults of clients.
MIN_BYTES, MAX_WAIT_MS = 1, 500

_NEEDED = ("api", "node", "connection", "client_id", "arrived_us", "parked_us", "partitions")
_FOLLOWER = re.compile(r"node-\d+|broker-\d+-fetcher-\d+")


@dataclass(frozen=True, slots=True)
class Sent:
    """A produce: when it arrives, the bytes for each partition, and the time of its handling."""

    at_ms: float
    sizes: Mapping[TopicPartition, int]
    work_ms: float


@dataclass(frozen=True, slots=True)
class Producer:
    """The produces of a connection; ``waits`` for all replicas: ``acks=all``."""

    node: int
    sent: Sequence[Sent]
    waits: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """A fetch of a loop: the time of its handling, and from its response to the next fetch."""

    work_ms: float
    think_ms: float


@dataclass(frozen=True, slots=True)
class Consumer:
    """The fetches of a connection, from the first one to the middle of the last one.

    So the unchanged loop has as many fetches if it is half a fetch earlier or later at the end.

    ``starts`` has the recorded offset at which each partition begins. ``turns`` are those after a
    response with records, and ``empty_turns`` those after one without.
    """

    node: int
    first_ms: float
    end_ms: float
    min_bytes: int
    max_wait_ms: int
    starts: Mapping[TopicPartition, int]
    turns: Sequence[Turn]
    empty_turns: Sequence[Turn]


@dataclass(frozen=True, slots=True)
class Recording:
    """The clients, the partitions with their leaders, and the recorded latencies by API.

    ``offsets`` are the recorded base offsets of the produces to each partition. ``left_out`` names
    the last lines of files that are cut off, because the broker was killed while it wrote them.
    """

    producers: Sequence[Producer]
    consumers: Sequence[Consumer]
    leaders: Mapping[TopicPartition, int]
    offsets: Mapping[TopicPartition, Sequence[int]]
    replication_factor: int
    follower_delay_ms: int
    latencies: Mapping[str, Sequence[float]]
    left_out: Sequence[str]

    def produced_before(self, key: TopicPartition, offset: int) -> int:
        """How many of the produces to a partition were before that offset."""
        return bisect_left(self.offsets.get(key, ()), offset)


def read(paths: Iterable[Path]) -> Recording:
    """Read files of wait records; raises `StartupError`."""
    left_out: list[str] = []
    records = [record for path in paths for record in _records(path, left_out)]
    of_clients = [each for each in records if _is_usual(each)]
    if not of_clients:
        raise StartupError(
            "RECORDS: there is no Produce and no Fetch of a client that got its response; "
            "give a file of antechamber serve --records"
        )
    origin_us = min(each["arrived_us"] for each in of_clients)
    by_connection = defaultdict[tuple[str, Connection], list[Record]](list)
    for each in sorted(of_clients, key=lambda record: record["arrived_us"]):
        by_connection[each["api"], (each["node"], each["connection"])].append(each)
    factor = _replication_factor(records)
    producers = [
        _producer(found, origin_us, factor)
        for (api, _), found in by_connection.items()
        if api == "Produce"
    ]
    consumers = [
        _consumer(found, origin_us) for (api, _), found in by_connection.items() if api == "Fetch"
    ]
    latencies = defaultdict[str, list[float]](list)
    for each in of_clients:
        latencies[each["api"]].append(each["total_us"] / 1000)
    return Recording(
        producers,
        consumers,
        {key: each["node"] for each in of_clients for key, _ in _places(each)},
        _offsets(of_clients),
        factor,
        _follower_delay_ms(of_clients, factor),
        dict(sorted(latencies.items(), reverse=True)),
        left_out,
    )


def _records(path: Path, left_out: list[str]) -> Iterator[Record]:
    try:
        *lines, last = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StartupError(f"RECORDS: cannot read {path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        record = _record(line)
        if record is None:
            raise StartupError(
                f"RECORDS: {path}:{number} is not a wait record; "
                "give a file of antechamber serve --records"
            )
        yield record
    if last:
        record = _record(last)
        if record is None:
            left_out.append(f"{path}:{len(lines) + 1}")
        else:
            yield record


def _record(line: bytes) -> Record | None:
    try:
        record: Record = json.loads(line)
        return record if record.keys() >= {*_NEEDED} else None
    except (ValueError, AttributeError):
        return None


def _is_usual(record: Record) -> bool:
    """Whether a client sent the request and got its response, without an error or a fault rule."""
    return (
        record["api"] in ("Produce", "Fetch")
        and not _FOLLOWER.fullmatch(record["client_id"] or "")
        and record["completed_by"]["cause"] not in ("disconnect", "shutdown")
        and not record.get("fault")
        and not record["error"]
        and any(True for _ in _places(record))
    )


def _places(record: Record) -> Iterable[tuple[TopicPartition, Record]]:
    for each in record["partitions"]:
        if not each["error"]:
            yield TopicPartition(each["topic"], each["partition"]), each


def _work_ms(record: Record) -> float:
    return float(record["local_us"] + record["send_us"]) / 1000


def _producer(records: Sequence[Record], origin_us: int, factor: int) -> Producer:
    """Records have no ``acks``: with followers, ``acks=all`` waits and the others do not."""
    sent = [
        Sent(
            (each["arrived_us"] - origin_us) / 1000,
            {key: place["bytes"] for key, place in _places(each)},
            _work_ms(each),
        )
        for each in records
    ]
    waits = factor == 1 or any(each["purgatory"] == "Produce" for each in records)
    return Producer(records[0]["node"], sent, waits)


def _consumer(records: Sequence[Record], origin_us: int) -> Consumer:
    waited = [each for each in records if each["purgatory"] == "Fetch" and each["waited_for"]]
    needs = Counter(each["waited_for"].get("need", MIN_BYTES) for each in waited)
    limits = Counter(each["timeout_ms"] for each in waited)
    starts = dict[TopicPartition, int]()
    for each in records:
        for key, place in _places(each):
            starts.setdefault(key, place["offset"])
    turns: list[Turn] = []
    empty_turns: list[Turn] = []
    for each, following in zip(records, [*records[1:], None], strict=True):
        end_us = each["arrived_us"] + each["total_us"]
        think_us = 0 if following is None else max(0, following["arrived_us"] - end_us)
        turn = Turn(_work_ms(each), think_us / 1000)
        (turns if any(place["bytes"] for _, place in _places(each)) else empty_turns).append(turn)
    return Consumer(
        records[0]["node"],
        (records[0]["arrived_us"] - origin_us) / 1000,
        (records[-1]["arrived_us"] + records[-1]["total_us"] / 2 - origin_us) / 1000,
        needs.most_common(1)[0][0] if needs else MIN_BYTES,
        limits.most_common(1)[0][0] if limits else MAX_WAIT_MS,
        starts,
        turns or empty_turns,
        empty_turns or turns,
    )


def _offsets(records: Sequence[Record]) -> dict[TopicPartition, list[int]]:
    offsets = defaultdict[TopicPartition, list[int]](list)
    for each in records:
        if each["api"] == "Produce":
            for key, place in _places(each):
                offsets[key].append(place["offset"])
    return {key: sorted(found) for key, found in offsets.items()}


def _replication_factor(records: Sequence[Record]) -> int:
    """One more than the followers of the partition that has most."""
    followers = defaultdict[TopicPartition, set[str]](set)
    for each in records:
        if each["api"] == "Fetch" and _FOLLOWER.fullmatch(each["client_id"] or ""):
            for key, _ in _places(each):
                followers[key].add(each["client_id"])
    return 1 + max(map(len, followers.values()), default=0)


def _follower_delay_ms(records: Sequence[Record], factor: int) -> int:
    """Half of the median wait for replicas: records go there, and the next fetch comes back."""
    waits = [each["parked_us"] for each in records if each["purgatory"] == "Produce"]
    return round(median(waits) / 2000) if waits and factor > 1 else 0
