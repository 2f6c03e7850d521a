"""Wait records agree with the clients' measurements: all requests and all durations."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from confluent_kafka import Producer as ConfluentProducer
from kafka import KafkaConsumer, KafkaProducer

from antechamber import Cluster
from antechamber.explain import explanation
from integration.clients.timed_clients import (
    NUMBERS,
    WAIT_MS,
    Client,
    Seen,
    Threads,
    TimedConnection,
    long_polls,
    produces,
)
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce

Record = dict[str, Any]

ELSEWHERE = "elsewhere"
POLLS = 100
LONG_MS = 10_000  # for a produce that will arrive
WITHIN_US = 2000
# The part of requests during which the whole machine may pause: a thread's figures leave out the
# time that a hypervisor or a limit of processor time takes from it.
PAUSED = 0.05
PAIRS = 3  # each a producer and a consumer, under load
LOAD_SECONDS = 3


def read(path: Path) -> list[Record]:
    """The records of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """The file of records of the test's cluster."""
    return tmp_path / "records.jsonl"


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory in memory: the kernel counts a wait for the disk in none of the figures."""
    with TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)


def _polls(kafka: Cluster, topic: str) -> list[Seen]:
    """Fetches, one at a time, that time out or, every other one, wait for a produce."""
    seen = []
    with TimedConnection(kafka.bootstrap) as client, Connection(kafka.bootstrap) as producer:
        for number in range(1, POLLS + 1):
            offset, released = number // 2, number % 2
            wait_ms = LONG_MS if released else WAIT_MS
            frame = fetch(topic, 0, offset, max_wait_ms=wait_ms, correlation_id=number)
            before = Threads.of(kafka.pid)
            client.send(frame)
            if released:
                kafka.wait_parked("Fetch", topic)
                producer.send(produce(topic, 0, batch([b"new"])))
            client.receive()
            if released:
                producer.receive()
            # A process's waiting time is counted when the wait ends, so the broker sends another
            # response.
            producer.request(produce(ELSEWHERE, 0, batch([b"new"])))
            turns = Threads.of(kafka.pid).since(before)
            seen.append(Seen(number, client.sent_us, client.received_us, turns))
    return seen


def _is_as_seen(record: Record, seen: Seen) -> bool:
    """Whether a record's beginning and end agree with those that its client measured.

    The tolerance is two milliseconds, plus the time for which the broker waited for a processor
    and, for the beginning, the time for which it worked while the request was in its socket.
    """
    arrived_us: int = record["arrived_us"]
    lay_us = arrived_us - seen.sent_us
    late_us = arrived_us + record["total_us"] - seen.response_us
    waited_us, ran_us = 1000 * seen.turns.waited_ms, 1000 * seen.turns.ran_ms
    return (
        -WITHIN_US < lay_us < WITHIN_US + waited_us + ran_us
        and -WITHIN_US < late_us < WITHIN_US + waited_us
    )


def test_durations_agree_with_a_clients(cluster: Callable[..., Cluster], memory: Path) -> None:
    """The client measures from sending until the response arrives."""
    records = memory / "records.jsonl"
    with cluster(topics=["t", ELSEWHERE], records=records, data_dir=memory / "data") as kafka:
        seen = _polls(kafka, "t")

    reported = {r["correlation_id"]: r for r in read(records) if r["api"] == "Fetch"}
    assert sorted(reported) == list(range(1, POLLS + 1))
    causes = [reported[number]["completed_by"]["cause"] for number in sorted(reported)]
    assert causes == ["append", "timeout"] * (POLLS // 2)
    others = _others([reported[each.correlation_id] for each in seen], seen)
    assert len(others) <= PAUSED * len(seen), others


def _others(reported: list[Record], seen: list[Seen]) -> list[str]:
    """The requests whose records do not agree with the measurements of their clients."""
    return [
        f"{each}: {record}"
        for record, each in zip(reported, seen, strict=True)
        if not _is_as_seen(record, each)
    ]


def test_durations_agree_with_those_of_many_clients(
    cluster: Callable[..., Cluster], memory: Path
) -> None:
    """Producers with acks=all and long polls at three nodes, each in a process of its own."""
    stop, records, data_dir = memory / "stop", memory / "records.jsonl", memory / "data"
    options = {"records": records, "data_dir": data_dir}
    with (
        cluster(brokers=3, topics=[f"t:{PAIRS}:3"], **options) as kafka,
        ProcessPoolExecutor(2 * PAIRS, get_context("spawn")) as pool,
    ):
        clients = [
            pool.submit(run_client, Client(kafka.bootstrap, kafka.pid, "t", index, stop), first)
            for index in range(PAIRS)
            for run_client, first in (
                (produces, 2 * index * NUMBERS),
                (long_polls, (2 * index + 1) * NUMBERS),
            )
        ]
        kafka.wait_parked("Fetch", "t", timeout=60)
        time.sleep(LOAD_SECONDS)
        stop.touch()
        seen = [each for client in clients for each in client.result()]

    reported = [record for record in read(records) if record["client_id"] == "wire"]
    by_number = {
        record["correlation_id"]: record for record in reported if record["api"] != "Metadata"
    }
    requested = [by_number[each.correlation_id] for each in seen]
    assert {record["api"] for record in requested} == {"Produce", "Fetch"}
    causes = Counter(record["completed_by"]["cause"] for record in requested)
    assert sum(causes.values()) == len(seen) > 100
    assert causes["high_watermark"] > len(requested) / 2
    for record in requested:
        phases = [record[f"{phase}_us"] for phase in ("queued", "local", "parked", "send")]
        assert sum(phases) == record["total_us"]
        assert record["queued_us"] == 0  # each client sends one request at a time
    others = _others(requested, seen)
    # A client may itself wait for a processor before it reads its clock.
    assert len(others) <= len(seen) / 100, others[:3]


def test_every_request_of_real_clients_has_one_record(
    cluster: Callable[..., Cluster], records: Path
) -> None:
    """Correlation ids have no gaps, causes refer to requests, and phases add up."""
    with cluster(brokers=3, topics=["t:3:3"], records=records) as kafka:
        _busy_clients(kafka.bootstrap)

    reported = read(records)
    by_connection: dict[int, list[int]] = defaultdict(list)
    for record in reported:
        phases = [record[f"{phase}_us"] for phase in ("queued", "local", "parked", "send")]
        assert sum(phases) == record["total_us"]
        assert min(phases) >= 0
        assert (record["purgatory"] is None) == (record["parked_us"] == 0)
        by_connection[record["connection"]].append(record["correlation_id"])
    for numbers in by_connection.values():
        assert sorted(numbers) == list(range(min(numbers), min(numbers) + len(numbers)))
    causes = Counter(record["completed_by"]["cause"] for record in reported)
    assert sum(causes.values()) == sum(map(len, by_connection.values()))
    assert {"arrival", "append", "high_watermark"} <= set(causes)
    _assert_named_requests_did_it(reported)
    assert all(explanation(record) for record in reported)
    produced = [r for r in reported if r["api"] == "Produce"]
    assert sum(p["records"] for r in produced for p in r["partitions"]) == 200
    assert {"node-2", "librdkafka", "python"} <= {record["client_id"] for record in reported}


def _assert_named_requests_did_it(reported: list[Record]) -> None:
    """Check that the completing request appended up to that offset, or fetched as that replica."""
    by_name = {
        (r["node"], r["api"], r["client_id"], r["correlation_id"]): r["partitions"]
        for r in reported
    }
    for record in reported:
        by = record["completed_by"]
        if (named := by.get("request")) is None or named["api"] not in ("Produce", "Fetch"):
            continue
        partitions = by_name[record["node"], *named.values()]
        offsets = {p["offset"] for p in partitions if p["topic"] == by["topic"]}
        ends = {p["offset"] + p["records"] for p in partitions if p["topic"] == by["topic"]}
        if by["cause"] == "append":
            assert by["offset"] in ends, record
        elif "replica" in by:
            assert named["client_id"] == f"node-{by['replica']}"
            assert max(offsets) >= by["offset"], record


def _busy_clients(bootstrap: str) -> None:
    """Two producers with acks=all send a hundred records each, and a consumer reads them."""
    confluent = ConfluentProducer({"bootstrap.servers": bootstrap, "client.id": "librdkafka"})
    python = KafkaProducer(bootstrap_servers=bootstrap, acks="all", client_id="python")
    for number in range(100):
        confluent.produce("t", b"%d" % number)
        python.send("t", b"%d" % number)
    assert confluent.flush(60) == 0
    python.flush(60)
    python.close()
    consumer = KafkaConsumer(
        "t",
        bootstrap_servers=bootstrap,
        auto_offset_reset="earliest",
        consumer_timeout_ms=20_000,
        group_id="g",
    )
    assert len({next(consumer).value for _ in range(200)}) == 100
    consumer.close()


def test_the_topic_has_the_records_of_the_file(
    cluster: Callable[..., Cluster], records: Path
) -> None:
    """Each record occurs once, and none is about the topic itself."""
    with cluster(topics=["t"], records=records, records_topic="waits") as kafka:
        with Connection(kafka.bootstrap) as client:
            for _ in range(500):
                client.request(produce("t", 0, batch([b"x"])))
        consumer = KafkaConsumer(
            "waits",
            bootstrap_servers=kafka.bootstrap,
            auto_offset_reset="earliest",
            consumer_timeout_ms=20_000,
        )
        values = [json.loads(next(consumer).value) for _ in range(500)]
        consumer.close()

    reported = read(records)
    assert [each for each in values if each["api"] == "Produce"] == [
        each for each in reported if each["api"] == "Produce"
    ][: len(values)]
    assert not any(p["topic"] == "waits" for each in reported for p in each["partitions"])
