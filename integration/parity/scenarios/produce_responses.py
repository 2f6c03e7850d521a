"""Responses to produces without a wait."""

from __future__ import annotations

from integration.parity.formatting import by_partition
from integration.parity.requests import SHORT_MS, batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

A = batch("a")
_NEVER_S = 3.0  # no response within this time means that none will come


@scenario()
def produce_completes_at_once(kafka: Kafka) -> Observations:
    """With one replica nothing waits, with any acks and timeout."""
    topic = kafka.topic()
    for version in (3, 5, 7, 8, 9, 12):
        for acks in (1, -1):
            yield version, acks, kafka.start(produce(topic, A, acks=acks), version)
    for timeout_ms in (0, -1, SHORT_MS):
        yield "timeout", timeout_ms, kafka.start(produce(topic, A, timeout_ms=timeout_ms))


@scenario()
def produce_assigns_offsets(kafka: Kafka) -> Observations:
    """Batches get successive offsets, whatever base offset the producer has written."""
    topic = kafka.topic()
    yield kafka.request(produce(topic, batch("a", "b", "c")))
    yield kafka.request(produce(topic, batch("d")))
    yield kafka.request(fetch(topic))


@scenario()
def produce_without_acks_has_no_response(kafka: Kafka) -> Observations:
    """Produces with acks=0 are appended in order; the next response is that of the next request."""
    topic = kafka.topic()
    client = kafka.connect()
    for value in ("a", "b", "c"):
        client.send(produce(topic, batch(value), acks=0), 9)
    yield client.request(fetch(topic))


@scenario()
def produce_without_acks_that_fails_closes(kafka: Kafka) -> Observations:
    """An error of a produce with acks=0 closes the connection."""
    client = kafka.connect()
    client.send(produce(kafka.new_name("unknown"), A, acks=0), 9)
    yield "closed", client.is_closed()


@scenario()
def produce_with_invalid_acks(kafka: Kafka) -> Observations:
    """acks other than -1, 0 and 1 are rejected for every known partition; nothing is appended."""
    topic = kafka.topic(2)
    for acks in (2, -2, 100):
        yield acks, by_partition(kafka.request(produce(topic, {0: A, 1: A, 2: A}, acks=acks)))
    yield kafka.request(fetch(topic, {0: 0, 1: 0}, max_wait_ms=0))


@scenario()
def produce_rejects_some_partitions(kafka: Kafka) -> Observations:
    """Each partition has its own result; those rejected before the append come last."""
    topic = kafka.topic(2)
    broken = bytearray(A)
    broken[-1] ^= 0xFF
    yield kafka.request(produce(topic, {9: A, 0: A}))
    yield kafka.request(produce(topic, {9: A, 1: bytes(broken)}))
    two = produce(kafka.new_name("unknown"), A)
    two.topic_data += produce(topic, A).topic_data
    yield kafka.request(two)


@scenario()
def produce_no_batch_or_two(kafka: Kafka) -> Observations:
    """A produce has one batch for each partition: none and two are rejected."""
    topic = kafka.topic()
    for what, records in (("none", b""), ("two", A + A), ("half", A[:40])):
        yield what, kafka.request(produce(topic, records))


@scenario()
def produce_null(kafka: Kafka) -> Observations:
    """A produce whose records are null."""
    yield "waits", not kafka.start(produce(kafka.topic(), None)).wait.is_over(_NEVER_S)


@scenario()
def produce_the_same_partition_twice(kafka: Kafka) -> Observations:
    """A request with two batches for one partition gets Kafka's response."""
    topic = kafka.topic()
    one = TopicProduceData(
        name=topic,
        partition_data=[PartitionProduceData(index=0, records=batch(v)) for v in ("a", "b")],
    )
    yield kafka.request(ProduceRequest(acks=-1, timeout_ms=SHORT_MS, topic_data=[one]))
    yield kafka.request(fetch(topic))


@scenario()
def produce_null_and_other_batches_for_a_partition(kafka: Kafka) -> Observations:
    """A later batch replaces null, and null an earlier one; an invalid batch is an error."""
    topic = kafka.topic()
    valid, torn = batch("a"), batch("b")[:20]
    for given in ((None, valid), (torn, None, valid), (None, torn, valid), (valid, None, valid)):
        partitions = [PartitionProduceData(index=0, records=each) for each in given]
        one = TopicProduceData(name=topic, partition_data=partitions)
        request = ProduceRequest(acks=-1, timeout_ms=SHORT_MS, topic_data=[one])
        yield [each and len(each) for each in given], kafka.request(request)
    yield kafka.request(fetch(topic))


@scenario()
def produce_nothing(kafka: Kafka) -> Observations:
    """A produce without topics, or without partitions, has an empty response."""
    topic = kafka.topic()
    yield kafka.request(ProduceRequest(acks=-1, timeout_ms=SHORT_MS, topic_data=[]))
    yield kafka.request(produce(topic, {}))


@scenario()
def produce_too_much(kafka: Kafka) -> Observations:
    """A batch above max.message.bytes is rejected, one below is not."""
    topic = kafka.topic(max_message_bytes="500")
    for size in (400, 500, 1000):
        yield size, kafka.request(produce(topic, batch("x" * size)))
    yield kafka.request(fetch(topic))


@scenario()
def produce_more_than_a_segment(kafka: Kafka) -> Observations:
    """A batch larger than a segment is rejected."""
    topic = kafka.topic(segment_bytes=str(1 << 20), max_message_bytes=str(4 << 20))
    yield kafka.request(produce(topic, batch("x" * (1 << 20))))
    yield kafka.request(produce(topic, batch("x" * 1000)))


@scenario()
def produce_without_keys_to_a_compacted_topic(kafka: Kafka) -> Observations:
    """Compaction needs keys, so records without one are rejected, each by its index."""
    topic = kafka.topic(cleanup_policy="compact")
    yield kafka.request(produce(topic, batch("a", "b")))
    yield kafka.request(produce(topic, batch("a", key="k")))
    yield kafka.request(produce(topic, batch(None, key="k")))


@scenario()
def produce_transactionally_without_a_transaction(kafka: Kafka) -> Observations:
    """Transactional batches need a transactional id, and the coordinator's verification."""
    topic = kafka.topic()
    yield kafka.request(produce(topic, batch("a", producer=(900_000, 0, 0), attributes=0x10)))
    control = batch("a", producer=(900_000, 0, 0), attributes=0x30)
    yield kafka.request(produce(topic, control))


@scenario()
def produce_control_batches(kafka: Kafka) -> Observations:
    """Control batches of clients are rejected."""
    topic = kafka.topic()
    yield kafka.request(produce(topic, batch("a", attributes=0x20)))
    yield kafka.request(fetch(topic, max_wait_ms=0))
