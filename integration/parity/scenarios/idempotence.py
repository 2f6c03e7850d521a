"""Idempotent producers: their ids, sequence numbers and epochs."""

from __future__ import annotations

from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.init_producer_id import InitProducerIdRequest

NEW = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)


@scenario()
def producer_ids_are_allocated(kafka: Kafka) -> Observations:
    """Each InitProducerId returns a new id with epoch 0."""
    ids = []
    for version in (0, 2, 4, 5):
        response = kafka.request(NEW, version)
        yield version, response
        ids.append(response.producer_id)
    yield "all differ", len(set(ids)) == len(ids)


@scenario()
def inconsistent_producer_ids(kafka: Kafka) -> Observations:
    """Inconsistent ids and epochs are rejected."""
    for producer_id, epoch in ((5, -1), (-1, 5), (-2, -2), (123_456, 3)):
        requested = InitProducerIdRequest(
            transactional_id=None,
            transaction_timeout_ms=60_000,
            producer_id=producer_id,
            producer_epoch=epoch,
        )
        response = kafka.request(requested, 4)
        yield (
            producer_id,
            epoch,
            response.error_code,
            response.producer_id > -1,
            response.producer_epoch,
        )


@scenario()
def sequences_of_a_producer(kafka: Kafka) -> Observations:
    """A batch in order is appended, a repeated one has the first offset, a gap is rejected."""
    producer = kafka.request(NEW).producer_id
    topic = kafka.topic()
    for sequence in (0, 1, 0, 1, 3, 2, 2, 5, 1):
        response = kafka.request(produce(topic, batch("x", producer=(producer, 0, sequence))))
        yield sequence, response
    yield kafka.request(fetch(topic))


@scenario()
def sequences_of_batches(kafka: Kafka) -> Observations:
    """A batch advances the sequence by its records; a repeated batch must be identical."""
    topic = kafka.topic()
    for sequence, values in ((0, "abc"), (3, "de"), (0, "abc"), (3, "d"), (4, "e"), (5, "f")):
        sent = batch(*values, producer=(900_001, 0, sequence))
        yield sequence, values, kafka.request(produce(topic, sent))


@scenario()
def sequences_remembered(kafka: Kafka) -> Observations:
    """The last five batches are recognised as duplicates; older ones are out of order."""
    topic = kafka.topic()
    for sequence in range(8):
        kafka.request(produce(topic, batch("x", producer=(900_002, 0, sequence))))
    for sequence in range(8):
        response = kafka.request(produce(topic, batch("x", producer=(900_002, 0, sequence))))
        yield sequence, response


@scenario()
def epochs_of_a_producer(kafka: Kafka) -> Observations:
    """A new epoch starts with sequence 0; an older one is fenced."""
    topic = kafka.topic()
    for epoch, sequence in ((0, 0), (0, 1), (1, 1), (1, 0), (0, 2), (1, 1), (3, 0), (2, 0)):
        sent = batch("x", producer=(900_003, epoch, sequence))
        yield epoch, sequence, kafka.request(produce(topic, sent))


@scenario()
def unknown_producers_start_anywhere(kafka: Kafka) -> Observations:
    """An unknown producer may start with any sequence number."""
    topic = kafka.topic()
    for producer, sequence in ((900_010, 7), (900_011, 2**31 - 1), (900_011, 0), (900_012, 1)):
        sent = batch("x", producer=(producer, 0, sequence))
        yield producer, sequence, kafka.request(produce(topic, sent))


@scenario()
def sequences_wrap_around(kafka: Kafka) -> Observations:
    """The sequence 0 follows 2**31 - 1, also within a batch."""
    topic = kafka.topic()
    for sequence, values in ((2**31 - 3, "ab"), (2**31 - 1, "cd"), (1, "e"), (2**31 - 1, "cd")):
        sent = batch(*values, producer=(900_004, 0, sequence))
        yield sequence, kafka.request(produce(topic, sent))


@scenario()
def producers_without_sequences(kafka: Kafka) -> Observations:
    """A producer id without sequence numbers, and the reverse."""
    topic = kafka.topic()
    for producer in ((900_005, 0, -1), (900_005, -1, 0), (-1, -1, 5), (-1, 3, -1), (-2, 0, 0)):
        yield producer, kafka.request(produce(topic, batch("x", producer=producer)))
