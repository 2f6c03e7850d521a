"""Transactions of real clients with three nodes, each of which is killed and restarted.

Each client, in a process of its own, writes the number of each transaction to two partitions, and
aborts some of them. At the end, read_committed consumers find every committed number once in both
partitions, and no aborted one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Consumer, Producer, TopicPartition
from kafka import KafkaProducer

from antechamber import Cluster
from integration.machine.deadlines import call_within, eventually

PAUSE_SECONDS = 0.5
WITHIN_S = 60
# Records and markers of each client in a partition, before the first fault and after the last one.
RECORDS_MIN = 20
# A transaction has two of them; a quarter is aborted, and others fail when a node is killed.
COMMITTED_MIN = RECORDS_MIN // 4
PARTITIONS = (0, 1)
ABORTED_EACH = 4
DROPPED_AFTER_S = 5


@dataclass
class Outcomes:
    """The numbers of transactions; the outcome of ``unknown`` ones was not reported."""

    committed: set[int] = field(default_factory=set)
    aborted: set[int] = field(default_factory=set)
    unknown: set[int] = field(default_factory=set)


@pytest.fixture
def kafka() -> Iterator[Cluster]:
    """Topics with replicas on all nodes, which stay writable without one of them."""
    config: dict[str, str | int] = {
        "min.insync.replicas": 2,
        "default.replication.factor": 3,
        "transaction.state.log.min.isr": 2,
        "replica.lag.time.max.ms": 1000,
        "auto.create.topics.enable": "false",
    }
    with Cluster(3, topics=[f"{name}:2:3" for name in CLIENTS], config=config) as kafka:
        yield kafka


def with_confluent(bootstrap: str, until: Path) -> Outcomes:
    """librdkafka.

    Version 2.16 sends AddPartitionsToTxn and the EndTxn of an abort together. If both are refused
    with CONCURRENT_TRANSACTIONS it repeats only the latter, which gets INVALID_TXN_STATE as in
    Kafka; the producer must then be replaced.
    """

    def new() -> Any:
        producer = Producer(
            {"bootstrap.servers": bootstrap, "transactional.id": "confluent", "log_level": 0}
        )
        producer.init_transactions(WITHIN_S)
        return producer

    def write(producer: Any, number: int) -> None:
        producer.begin_transaction()
        for partition in PARTITIONS:
            producer.produce("confluent", str(number).encode(), partition=partition)

    return _until(
        until,
        new,
        write,
        commit=lambda producer: producer.commit_transaction(WITHIN_S),
        abort=lambda producer: producer.abort_transaction(WITHIN_S),
        close=lambda producer: producer.purge(),
    )


def with_kafka_python(bootstrap: str, until: Path) -> Outcomes:
    """kafka-python.

    Version 3.0.12 drops a transactional request if the coordinator that FindCoordinator has
    returned refuses the connection. Without the request the records time out after two minutes and
    the commit then reports success, or the commit never returns. So all of them get a time limit.
    Its ``close`` raises before it ends its thread if records cannot be sent within the time limit;
    the thread would connect to the stopped cluster until the process ends.
    """

    def new() -> Any:
        producer = KafkaProducer(
            bootstrap_servers=bootstrap,
            transactional_id="kafka-python",
            max_block_ms=DROPPED_AFTER_S * 1000,
        )
        try:
            producer.init_transactions()
        except Exception:
            close(producer)
            raise
        return producer

    def close(producer: Any) -> None:
        try:
            producer.close(timeout=1)
        finally:
            producer._sender.force_close()  # noqa: SLF001 - nothing public ends it

    def write(producer: Any, number: int) -> None:
        producer.begin_transaction()
        sent = [
            producer.send("kafka-python", str(number).encode(), partition=partition)
            for partition in PARTITIONS
        ]
        for each in sent:
            each.get(DROPPED_AFTER_S)

    return _until(
        until,
        new,
        write,
        commit=lambda producer: call_within(producer.commit_transaction, DROPPED_AFTER_S),
        abort=lambda producer: call_within(producer.abort_transaction, DROPPED_AFTER_S),
        close=close,
    )


def with_aiokafka(bootstrap: str, until: Path) -> Outcomes:
    """aiokafka."""
    with asyncio.Runner() as runner:

        def new() -> Any:
            return runner.run(started())

        async def started() -> Any:
            producer = AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id="aiokafka")
            await producer.start()
            return producer

        async def write(producer: Any, number: int) -> None:
            await producer.begin_transaction()
            for partition in PARTITIONS:
                await producer.send("aiokafka", str(number).encode(), partition=partition)

        async def stop(producer: Any) -> None:
            await asyncio.wait_for(producer.stop(), WITHIN_S)

        return _until(
            until,
            new,
            lambda producer, number: runner.run(write(producer, number)),
            commit=lambda producer: runner.run(producer.commit_transaction()),
            abort=lambda producer: runner.run(producer.abort_transaction()),
            close=lambda producer: runner.run(stop(producer)),
        )


def _until(
    until: Path,
    new: Callable[[], Any],
    write: Callable[[Any, int], None],
    *,
    commit: Callable[[Any], None],
    abort: Callable[[Any], None],
    close: Callable[[Any], None],
) -> Outcomes:
    """Write transactions until a file exists; after an error, go on with a new producer.

    Its initialisation ends the transaction of the earlier one, which is aborted unless its commit
    was requested.
    """
    outcomes, producer, number = Outcomes(), _made(new), 0
    while not until.exists():
        number += 1
        is_requested = False
        try:
            write(producer, number)
            if number % ABORTED_EACH == 0:
                abort(producer)
                outcomes.aborted.add(number)
            else:
                is_requested = True
                commit(producer)
                outcomes.committed.add(number)
        except Exception:  # the clients have many classes, which depend on the time of the fault
            (outcomes.unknown if is_requested else outcomes.aborted).add(number)
            _ignoring_errors(close, producer)
            producer = _made(new)
    _ignoring_errors(close, producer)
    return outcomes


def _made(new: Callable[[], Any]) -> Any:
    """A new producer; its initialisation may fail while a node is down."""
    deadline = time.monotonic() + WITHIN_S
    while True:
        try:
            return new()
        except Exception:
            if time.monotonic() > deadline:
                raise


def _ignoring_errors(close: Callable[[Any], None], producer: Any) -> None:
    try:
        close(producer)
    except Exception as error:
        print("a failed producer is not closed:", error)


CLIENTS: dict[str, Callable[[str, Path], Outcomes]] = {
    "confluent": with_confluent,
    "kafka-python": with_kafka_python,
    "aiokafka": with_aiokafka,
}


def _wait_for_transactions(kafka: Cluster, count: int) -> None:
    """Wait until the topic of each client has *count* more records."""
    wanted = {name: replicated + count for name, replicated in _replicated(kafka).items()}

    def written() -> bool:
        now = _replicated(kafka)
        return all(now[name] >= least for name, least in wanted.items())

    eventually(written, f"{count} more records of each client")


def _replicated(kafka: Cluster) -> dict[str, int]:
    topics = {topic["name"]: topic["partitions"] for topic in kafka.cluster()["topics"]}
    return {name: min(each["high_watermark"] for each in topics[name]) for name in CLIENTS}


def _committed(kafka: Cluster, topic: str, partition: int) -> list[int]:
    """Every record of a partition, as a read_committed consumer reads it."""
    settings = {
        "bootstrap.servers": kafka.bootstrap,
        "group.id": "none",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "isolation.level": "read_committed",
    }
    consumer = Consumer(settings)
    consumer.assign([TopicPartition(topic, partition, 0)])
    numbers: list[int] = []
    while True:
        message = consumer.poll(WITHIN_S)
        assert message is not None, f"no end of {topic}-{partition}"
        if message.error() is not None:
            break
        numbers.append(int(message.value() or b""))
    consumer.close()
    return numbers


@pytest.mark.timeout(240)
def test_transactions_are_complete_or_without_effect(kafka: Cluster, tmp_path: Path) -> None:
    """Three clients, and each node is killed once."""
    until = tmp_path / "enough"
    with ProcessPoolExecutor(len(CLIENTS), get_context("spawn")) as others:
        running: dict[str, Future[Outcomes]] = {
            name: others.submit(client, kafka.bootstrap, until) for name, client in CLIENTS.items()
        }
        try:
            _wait_for_transactions(kafka, RECORDS_MIN)
            for node in (1, 2, 3):
                kafka.stop(node)
                time.sleep(PAUSE_SECONDS)
                kafka.start(node)
                kafka.wait_in_sync(timeout=60)
            _wait_for_transactions(kafka, RECORDS_MIN)
        finally:
            until.touch()
        ended = {name: future.result() for name, future in running.items()}

    for name, outcomes in ended.items():
        print(name, *(len(each) for each in vars(outcomes).values()))
        first, second = (_committed(kafka, name, partition) for partition in PARTITIONS)
        assert first == second, name
        assert len(first) == len(set(first)), name
        assert outcomes.committed <= set(first), name
        assert set(first) <= outcomes.committed | outcomes.unknown, name
        assert len(outcomes.committed) >= COMMITTED_MIN, name
