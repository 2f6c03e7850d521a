"""Clients that append and read in transactions, drawn from a seed, and record what happens.

Each client has a transactional id, and a consumer that reads partitions from the beginning to the
last stable offset. Sometimes it initializes another producer with the same id and then requests the
commit of the first one, which must be fenced. A transaction is aborted after an error; a producer
that cannot continue is replaced. Every second client uses the new protocol.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from math import inf

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from integration.machine.deadlines import eventually
from integration.transactions.history import Append, Outcome, Read, Transaction
from integration.transactions.new_protocol import NewProtocolProducer

TRANSACTION_TIMEOUT_MS = 5_000
READ_COMMITTED, READ_UNCOMMITTED = "read_committed", "read_uncommitted"
_OPERATIONS_MAX = 6
_READS = 0.25  # of all operations
_ABORTS = 0.2  # of all transactions
_FENCED = 0.06
LIMIT_SECONDS = 8.0  # of a read, and of the requests of a producer
_POLL_SECONDS = 0.5
_FINAL_WITHIN_SECONDS = 60.0
# Fenced producers log their fatal errors at any level.
_LOG = logging.getLogger("integration.transactions")
_LOG.addHandler(logging.NullHandler())
_LOG.propagate = False
SETTINGS = {
    "log_level": 0,
    "socket.timeout.ms": 3_000,
    "topic.metadata.refresh.interval.ms": 1_000,
}

AnyProducer = Producer | NewProtocolProducer


class Clients:
    """Threads that run transactions until they are stopped.

    ``values``: the next value of a record.
    """

    def __init__(self, bootstrap: str, topic: str, partitions: int, number: int, seed: int) -> None:
        self.values = count()
        self._stopped = threading.Event()
        self._clients = [
            _Client(
                bootstrap,
                topic,
                partitions,
                f"{topic}-{index}",
                seed + index,
                self.values,
                is_new=index % 2 == 1,
            )
            for index in range(number)
        ]
        self._threads = [
            threading.Thread(target=client.run, args=(self._stopped.is_set,), daemon=True)
            for client in self._clients
        ]

    def start(self) -> None:
        """Start all threads."""
        for thread in self._threads:
            thread.start()

    def stop(self, within: float) -> tuple[Transaction, ...]:
        """End the clients, and return their transactions."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(within)
            assert not thread.is_alive(), f"a client did not end within {within} s"
        for client in self._clients:
            if client.failure is not None:
                raise client.failure
        return tuple(each for client in self._clients for each in client.transactions)


class _Client:
    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        transactional_id: str,
        seed: int,
        values: count[int],
        *,
        is_new: bool,
    ) -> None:
        self.transactions: list[Transaction] = []
        self.failure: Exception | None = None
        self._bootstrap = bootstrap
        self._topic = topic
        self._partitions = partitions
        self._id = transactional_id
        self._random = random.Random(seed)
        self._values = values
        self._is_new = is_new
        self._reader = Reader(bootstrap, topic)
        self._producer: AnyProducer | None = None
        # Producers that were replaced. A fenced one blocks when it is deleted, so that waits.
        self._replaced: list[AnyProducer] = []

    def run(self, is_stopped: Callable[[], bool]) -> None:
        try:
            while not is_stopped():
                if self._producer is None:
                    with suppress(KafkaException):
                        self._producer = self._initialized()
                else:
                    self._transact(self._producer)
        except Exception as error:
            self.failure = error
        finally:
            self._reader.close()
            for producer in (*self._replaced, self._producer):
                if isinstance(producer, NewProtocolProducer):
                    producer.close()

    def _initialized(self) -> AnyProducer:
        return transactional_producer(self._bootstrap, self._id, is_new=self._is_new)

    def _transact(self, producer: AnyProducer) -> None:
        """Run one transaction and record it."""
        operations: list[Append | Read] = []
        outcome, requested = Outcome.ABORTED, inf
        try:
            producer.begin_transaction()
            self._operate(producer, operations)
            if self._random.random() < _FENCED:
                self._replaced.append(producer)
                self._producer = self._initialized()
                with suppress(KafkaException):
                    producer.commit_transaction(LIMIT_SECONDS)
                    outcome = Outcome.COMMITTED
            elif self._random.random() < _ABORTS:
                until_done(producer.abort_transaction)
            else:
                outcome, requested = Outcome.UNKNOWN, time.monotonic()
                until_done(producer.commit_transaction)
                outcome = Outcome.COMMITTED
        except KafkaException as error:
            outcome = self._after_error(producer, error.args[0], outcome)
        self.transactions.append(Transaction(self._id, tuple(operations), outcome, requested))

    def _operate(self, producer: AnyProducer, operations: list[Append | Read]) -> None:
        for _ in range(self._random.randint(1, _OPERATIONS_MAX)):
            partition = self._random.randrange(self._partitions)
            if self._random.random() < _READS:
                read = self._reader.read(partition)
                if read is not None:
                    operations.append(read)
            else:
                value = next(self._values)
                operations.append(Append(partition, value))
                producer.produce(self._topic, str(value), partition=partition)

    def _after_error(self, producer: AnyProducer, error: KafkaError, outcome: Outcome) -> Outcome:
        """Abort, or replace the producer; returns the outcome as far as it is known now."""
        if error.txn_requires_abort():
            with suppress(KafkaException):
                until_done(producer.abort_transaction)
                return Outcome.ABORTED
        if self._producer is producer:
            self._replaced.append(producer)
            self._producer = None
        return outcome


class Reader:
    """A consumer of whole partitions."""

    def __init__(self, bootstrap: str, topic: str, isolation: str = READ_COMMITTED) -> None:
        self._topic = topic
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "reader",
                "isolation.level": isolation,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 50,
                **SETTINGS,
            }
        )

    def read(self, partition: int, within: float = LIMIT_SECONDS) -> Read | None:
        """Read a partition to its last stable offset; None if that takes too long."""
        self._consumer.assign([TopicPartition(self._topic, partition, 0)])
        values: list[int] = []
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            message = self._consumer.poll(_POLL_SECONDS)
            if message is None or message.partition() != partition:
                continue
            error = message.error()
            if error is None:
                values.append(int(message.value() or b""))
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - a public constant
                return Read(partition, tuple(values), time.monotonic())
        return None

    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()


def last_transaction(bootstrap: str, topic: str, values: Sequence[int]) -> Transaction:
    """Append one value to each partition, and commit."""
    producer = transactional_producer(bootstrap, f"{topic}-last")
    producer.begin_transaction()
    appends = [Append(partition, value) for partition, value in enumerate(values)]
    for append in appends:
        producer.produce(topic, str(append.value), partition=append.partition)
    requested = time.monotonic()
    until_done(producer.commit_transaction)
    return Transaction(f"{topic}-last", tuple(appends), Outcome.COMMITTED, requested)


def final_values(
    bootstrap: str, topic: str, last: Transaction, *, isolation: str
) -> dict[int, tuple[int, ...]]:
    """The values of each partition.

    They are read again until the last transaction is there, because the high watermark of a new
    leader is too low for a short time, and because all earlier transactions must end before.
    """
    reader = Reader(bootstrap, topic, isolation)
    final = {}
    for append in last.appends:

        def values() -> tuple[int, ...]:
            read = reader.read(append.partition)  # noqa: B023 - called in this iteration
            return read.values if read and append.value in read.values else ()  # noqa: B023 - the same

        where = f"the last value of partition {append.partition}"
        final[append.partition] = eventually(values, where, within=_FINAL_WITHIN_SECONDS)
    reader.close()
    return final


def transactional_producer(
    bootstrap: str, transactional_id: str, *, is_new: bool = False
) -> AnyProducer:
    """An initialized producer, of the new protocol or of librdkafka, which uses the old one."""
    producer: AnyProducer
    if is_new:
        producer = NewProtocolProducer(bootstrap, transactional_id, TRANSACTION_TIMEOUT_MS)
    else:
        settings = {
            "bootstrap.servers": bootstrap,
            "transactional.id": transactional_id,
            "transaction.timeout.ms": TRANSACTION_TIMEOUT_MS,
            "message.timeout.ms": TRANSACTION_TIMEOUT_MS,
            "linger.ms": 0,
            **SETTINGS,
        }
        producer = Producer(settings, logger=_LOG)
    try:
        until_done(producer.init_transactions)
    except KafkaException:
        if isinstance(producer, NewProtocolProducer):
            producer.close()
        raise
    return producer


def until_done(request: Callable[[float], object]) -> None:
    """Repeat a request of a producer while its error is retriable; raises KafkaException."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        try:
            request(LIMIT_SECONDS / 4)
        except KafkaException as error:
            if not error.args[0].retriable() or time.monotonic() > deadline:
                raise
        else:
            return
