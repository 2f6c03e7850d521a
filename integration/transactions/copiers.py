"""Clients that copy a topic exactly once: they consume, produce and commit offsets in transactions.

Two members of a consumer group use the old protocol and share the partitions. Another client uses
the new protocol: it reads all partitions and commits the offsets of a group without members. Some
transactions are aborted; then, and after errors, the copy continues at the committed offsets.
"""

from __future__ import annotations

import random
import threading
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition

from integration.machine.deadlines import DeadlineError, call_within
from integration.transactions.clients import (
    LIMIT_SECONDS,
    SETTINGS,
    transactional_producer,
    until_done,
)
from integration.transactions.new_protocol import NewProtocolProducer

OLD, NEW = "old", "new"
_MEMBERS = 2
_RECORDS_MAX = 10
_CONSUME_SECONDS = 0.2
_ABORTS = 0.2  # of all transactions
_STUCK_AFTER_SECONDS = 15.0


def copy_name(topic: str, protocol: str) -> str:
    """The name of a copy, and of its group."""
    return f"{topic}-{protocol}"


class Copiers:
    """Threads that copy *topic* to the topics of `copy_name` until they are stopped."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, seed: int) -> None:
        self._stopped = threading.Event()
        old, new = copy_name(topic, OLD), copy_name(topic, NEW)
        self._copiers: list[_Copier] = [
            _Member(bootstrap, topic, old, f"{old}-{index}", seed + index)
            for index in range(_MEMBERS)
        ]
        self._copiers.append(_Assigned(bootstrap, topic, new, seed, range(partitions)))
        self._threads = [
            threading.Thread(target=copier.run, args=(self._stopped.is_set,), daemon=True)
            for copier in self._copiers
        ]

    def start(self) -> None:
        """Start all threads."""
        for thread in self._threads:
            thread.start()

    def stop(self, within: float) -> None:
        """End the copiers; raises what has ended one of them before."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(within)
            assert not thread.is_alive(), f"a copier did not end within {within} s"
        for copier in self._copiers:
            if copier.failure is not None:
                raise copier.failure


class _Copier:
    """A consumer and a producer, which are both replaced after an error."""

    def __init__(self, bootstrap: str, source: str, copy: str, seed: int) -> None:
        self.failure: Exception | None = None
        self._bootstrap = bootstrap
        self._source = source
        self._copy = copy
        self._random = random.Random(f"{copy} {seed}")

    def run(self, is_stopped: Callable[[], bool]) -> None:
        try:
            while not is_stopped():
                with suppress(KafkaException, DeadlineError):
                    self._session(is_stopped)
        except Exception as error:
            self.failure = error

    @abstractmethod
    def _session(self, is_stopped: Callable[[], bool]) -> None:
        """Copy until an error."""

    def _consumer(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._bootstrap,
                "group.id": self._copy,
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "session.timeout.ms": 6_000,
                "fetch.wait.max.ms": 50,
                **SETTINGS,
            }
        )

    def _is_aborted(self) -> bool:
        return self._random.random() < _ABORTS

    def _messages(self, consumer: Consumer) -> list[Message]:
        """The next records; raises KafkaException for an error."""
        messages = consumer.consume(self._random.randint(1, _RECORDS_MAX), _CONSUME_SECONDS)
        for message in messages:
            error = message.error()
            if error is not None:
                raise KafkaException(error)
        return messages


class _Member(_Copier):
    """A member of a consumer group, with librdkafka's producer.

    ``send_offsets_to_transaction`` of version 2.16 sometimes does not return after the group's
    coordinator has disappeared from the metadata and come back.
    """

    def __init__(
        self, bootstrap: str, source: str, copy: str, transactional_id: str, seed: int
    ) -> None:
        super().__init__(bootstrap, source, copy, seed)
        self._id = transactional_id

    def _session(self, is_stopped: Callable[[], bool]) -> None:
        producer = transactional_producer(self._bootstrap, self._id)
        assert isinstance(producer, Producer)
        consumer = self._consumer()
        try:
            consumer.subscribe([self._source])
            while not is_stopped():
                if messages := self._messages(consumer):
                    transact = partial(self._transact, consumer, producer, messages)
                    call_within(transact, _STUCK_AFTER_SECONDS)
        finally:
            consumer.close()

    def _transact(self, consumer: Consumer, producer: Producer, messages: list[Message]) -> None:
        producer.begin_transaction()
        for message in messages:
            partition = message.partition()
            assert partition is not None
            producer.produce(self._copy, message.value(), partition=partition)
        producer.send_offsets_to_transaction(
            consumer.position(consumer.assignment()),
            consumer.consumer_group_metadata(),
            LIMIT_SECONDS,
        )
        if not self._is_aborted():
            until_done(producer.commit_transaction)
            return
        until_done(producer.abort_transaction)
        for committed in consumer.committed(consumer.assignment(), LIMIT_SECONDS):
            _seek(consumer, committed)


class _Assigned(_Copier):
    """A client with all partitions and without membership, with the new protocol."""

    def __init__(
        self, bootstrap: str, source: str, copy: str, seed: int, partitions: range
    ) -> None:
        super().__init__(bootstrap, source, copy, seed)
        self._partitions = [TopicPartition(source, each) for each in partitions]

    def _session(self, is_stopped: Callable[[], bool]) -> None:
        producer = transactional_producer(self._bootstrap, self._copy, is_new=True)
        assert isinstance(producer, NewProtocolProducer)
        consumer = self._consumer()
        try:
            consumer.assign(consumer.committed(self._partitions, LIMIT_SECONDS))
            while not is_stopped():
                if messages := self._messages(consumer):
                    self._transact(consumer, producer, messages)
        finally:
            consumer.close()
            producer.close()

    def _transact(
        self, consumer: Consumer, producer: NewProtocolProducer, messages: list[Message]
    ) -> None:
        producer.begin_transaction()
        offsets: dict[int, int] = {}
        for message in messages:
            value, partition, offset = message.value(), message.partition(), message.offset()
            assert value is not None
            assert partition is not None
            assert offset is not None
            producer.produce(self._copy, value.decode(), partition=partition)
            offsets[partition] = offset + 1
        producer.send_offsets(self._copy, self._source, offsets)
        if not self._is_aborted():
            until_done(producer.commit_transaction)
            return
        until_done(producer.abort_transaction)
        for committed in consumer.committed(self._partitions, LIMIT_SECONDS):
            _seek(consumer, committed)


def _seek(consumer: Consumer, committed: TopicPartition) -> None:
    """Continue at a committed offset, or at the beginning if there is none."""
    offset = max(0, committed.offset)
    consumer.seek(TopicPartition(committed.topic, committed.partition, offset))
