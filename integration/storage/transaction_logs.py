"""A history of transactions in one partition, for a real Kafka and for our storage.

Producers commit and abort transactions in turns; one transaction remains open. The records are so
large that the transactions begin and end in several segments.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from broker.storage.log.unified_log import UnifiedLog
from integration.storage.kafka_histories import append
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce, write_txn_markers
from protocol.record_batch.batch import build_batch
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker
from protocol.record_batch.header import TRANSACTIONAL_BIT
from protocol.record_batch.record import Record

ENDING, OPEN = (21, 22, 23), 24
ROUNDS = 9
# In this round the transaction begins that is not ended.
OPENS_IN = 6
_VALUE_BYTES = 60_000

Batch = tuple[str, bytes]
Marker = tuple[int, int, bool]


def history() -> Iterator[Batch | Marker]:
    """Batches with their transactional id; and markers, as producer, epoch and whether to commit.

    A marker has the epoch of the next transaction, as in protocol 2, or the same one as before.
    """
    chance, now_ms = random.Random(5), time.time_ns() // 1_000_000
    epochs, sequences = dict.fromkeys(ENDING, 0), dict.fromkeys((*ENDING, OPEN), 0)
    for number in range(ROUNDS):
        yield "", build_batch([Record(b"k", chance.randbytes(_VALUE_BYTES), timestamp=now_ms)])
        for producer in (*ENDING, OPEN):
            if producer != OPEN or number >= OPENS_IN:
                value = Record(b"t", chance.randbytes(_VALUE_BYTES), timestamp=now_ms)
                batch = build_batch(
                    [value],
                    producer_id=producer,
                    producer_epoch=epochs.get(producer, 0),
                    base_sequence=sequences[producer],
                    attributes=TRANSACTIONAL_BIT,
                )
                sequences[producer] += 1
                yield f"tx-{producer}", batch
        for producer in chance.sample(ENDING, 2):
            if chance.random() < 0.5:
                epochs[producer] += 1
                sequences[producer] = 0
            yield producer, epochs[producer], chance.random() < 0.5


def write_to_kafka(connection: Connection, topic: str) -> None:
    """Write the history as clients and a transaction coordinator do."""
    for written in history():
        if len(written) == 2:
            transactional_id, batch = written
            requested = produce(topic, 0, batch, transactional_id=transactional_id or None)
            response = read_produce(connection.request(requested))
            assert response.error == 0, response
        else:
            producer, epoch, commit = written
            connection.request(write_txn_markers(topic, 0, producer, epoch, commit=commit))


def write_to_log(log: UnifiedLog) -> None:
    """Write the history to our storage alone."""
    for written in history():
        if len(written) == 2:
            batch = written[1]
        else:
            producer, epoch, commit = written
            batch = build_end_txn_marker(
                EndTxnMarker(is_abort=not commit, coordinator_epoch=0),
                producer_id=producer,
                producer_epoch=epoch,
                timestamp=time.time_ns() // 1_000_000,
            )
        append(log, memoryview(bytearray(batch)))
