"""Produce of transactional batches: their verification, sequences, and errors by version."""

from __future__ import annotations

from integration.parity.admin_requests import BROKER, SET, alter_configs
from integration.parity.formatting import by_partition
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import (
    Identity,
    describe_producers,
    transactional_batch,
)
from integration.parity.transactional_producer import OLD, Producer

VERSIONS = (3, 8, 10, 11, 12)


@scenario()
def batches_without_a_transactional_id(kafka: Kafka) -> Observations:
    """A transactional batch needs a transactional id, in every partition and version."""
    topic, producer = kafka.topic(2), Producer(kafka)
    inside = transactional_batch(producer.identity, 0, "a")
    for version in VERSIONS:
        yield version, kafka.request(produce(topic, inside), version)
        both = kafka.request(produce(topic, {0: batch("b"), 1: inside}), version)
        yield version, by_partition(both)
    yield kafka.request(fetch(topic, max_wait_ms=0))


@scenario(alone=True)  # verifications of one transactional id replace each other
def batches_with_an_empty_transactional_id(kafka: Kafka) -> Observations:
    """An empty transactional id is invalid."""
    topic, producer = kafka.topic(), Producer(kafka)
    for version in VERSIONS:
        sent = produce(topic, transactional_batch(producer.identity, 0, "a"), transactional_id="")
        yield version, kafka.request(sent, version)


@scenario()
def batches_of_several_producers(kafka: Kafka) -> Observations:
    """All transactional batches of a request have one producer id and epoch."""
    topic, producer = kafka.topic(2), Producer(kafka)
    producer.add({topic: [0, 1]})
    producer_id, epoch = producer.identity
    for other in (Identity(producer_id + 1, epoch), Identity(producer_id, epoch + 1)):
        both = {
            0: transactional_batch(producer.identity, 0, "a"),
            1: transactional_batch(other, 0, "b"),
        }
        for version in VERSIONS:
            sent = produce(topic, both, transactional_id=producer.transactional_id)
            response = kafka.request(sent, version)
            yield version, by_partition(response)
    yield producer.describe()


@scenario(alone=True)  # Kafka mixes up the versions of concurrent verifications
def partitions_that_were_not_added(kafka: Kafka) -> Observations:
    """Only the newest versions add the partition; the error of others depends on the version."""
    topic, producer = kafka.topic(), Producer(kafka)
    for version in VERSIONS:
        yield version, producer.produce(topic, "a", version=version)
        yield producer.describe()


@scenario(alone=True)  # Kafka mixes up the versions of concurrent verifications
def one_of_two_partitions_was_added(kafka: Kafka) -> Observations:
    """Verified partitions are appended, others have their error."""
    topic = kafka.topic(2)
    for version in VERSIONS:
        producer = Producer(kafka)
        producer.add({topic: [1]})
        response = kafka.request(producer.batches(topic, {0: ("a",), 1: ("b",)}), version)
        yield version, by_partition(response)
        producer.complete()


@scenario()
def batches_of_other_epochs(kafka: Kafka) -> Observations:
    """Fenced, future and unknown producers have their errors, in every version."""
    topic, producer = kafka.topic(), Producer(kafka)
    old = producer.identity
    producer.init()
    producer_id, epoch = producer.identity
    unknown = kafka.new_name("transaction")
    for version in VERSIONS:
        for name, identity in (
            (producer.transactional_id, old),
            (producer.transactional_id, Identity(producer_id, epoch + 1)),
            (producer.transactional_id, Identity(producer_id + 10_000, 0)),
            (unknown, producer.identity),
        ):
            sent = produce(topic, transactional_batch(identity, 0, "a"), transactional_id=name)
            yield version, name, identity.epoch, kafka.request(sent, version)
    yield producer.describe()


@scenario()
def sequences_of_transactions(kafka: Kafka) -> Observations:
    """New producers start with sequence 0 in the new protocol, and anywhere in the old one."""
    for version in (12, 11):
        for start in (7, 0):
            topic, producer = kafka.topic(), Producer(kafka)
            if version == 11:
                producer.add({topic: [0]})
            for sequence in (start, start + 1, start + 3, start + 1, start + 2):
                sent = transactional_batch(producer.identity, sequence, "a")
                yield (
                    version,
                    sequence,
                    kafka.request(
                        produce(topic, sent, transactional_id=producer.transactional_id), version
                    ),
                )


@scenario()
def sequences_after_a_transaction(kafka: Kafka) -> Observations:
    """A new epoch starts with 0, and in the old protocol the sequence continues."""
    for end in (5, 4):
        topic, producer = kafka.topic(), Producer(kafka)
        producer.produce(topic, "a", "b").response()
        producer.add({topic: [0]})
        yield producer.end(version=end), producer.settle()
        producer.add({topic: [0]})
        for sequence in (2, 0, 3, 5):
            sent = transactional_batch(producer.identity, sequence, "c")
            yield (
                end,
                sequence,
                kafka.request(produce(topic, sent, transactional_id=producer.transactional_id)),
            )


@scenario(alone=True)  # Kafka mixes up the versions of concurrent verifications
def sequences_seen_during_verification(kafka: Kafka) -> Observations:
    """A batch is not appended before an earlier one whose verification was requested."""
    for version in (11, 12):
        topic, producer = kafka.topic(), Producer(kafka, OLD)
        for sequence in (5, 3, 4, 3):
            if sequence == 4:
                producer.add({topic: [0]})
            sent = transactional_batch(producer.identity, sequence, "a")
            yield (
                version,
                sequence,
                kafka.request(
                    produce(topic, sent, transactional_id=producer.transactional_id), version
                ),
            )


@scenario(alone=True)  # Kafka mixes up the versions of concurrent verifications
def repeated_batches_of_a_transaction(kafka: Kafka) -> Observations:
    """A repeated batch has the first offset, during its transaction and after an old end."""
    topic, producer = kafka.topic(), Producer(kafka)
    first = produce(
        topic,
        transactional_batch(producer.identity, 0, "a", "b"),
        transactional_id=producer.transactional_id,
    )
    yield kafka.request(first), kafka.request(first)
    producer.add({topic: [0]})
    yield producer.end(version=4), producer.settle()
    for version in (11, 12):
        yield version, kafka.request(first, version), producer.describe()


@scenario()
def batches_outside_the_transaction(kafka: Kafka) -> Observations:
    """While a transaction of its producer is open, other batches of the producer are rejected."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer_id, epoch = producer.identity
    plain = [batch("b", producer=(producer_id, epoch, sequence)) for sequence in range(3)]
    yield "before", kafka.request(produce(topic, plain[0]))
    inside = transactional_batch(producer.identity, 1, "a")
    yield kafka.request(produce(topic, inside, transactional_id=producer.transactional_id))
    yield "during", kafka.request(produce(topic, plain[2]))
    yield (
        "with the id",
        kafka.request(produce(topic, plain[2], transactional_id=producer.transactional_id)),
    )
    yield "of nobody", kafka.request(produce(topic, batch("c")))
    yield "repeated", kafka.request(produce(topic, plain[0]))
    yield producer.end(), producer.settle()
    last = batch("d", producer=(*producer.identity, 0))
    yield "after", kafka.request(produce(topic, last)), producer.describe()


@scenario()
def batches_without_a_producer_id(kafka: Kafka) -> Observations:
    """A transactional batch without a producer id is an ordinary record."""
    topic, producer = kafka.topic(), Producer(kafka)
    for version in VERSIONS:
        sent = transactional_batch(Identity(-1, -1), -1, "a")
        yield (
            version,
            kafka.request(
                produce(topic, sent, transactional_id=producer.transactional_id), version
            ),
        )
    yield kafka.request(fetch(topic, read_committed=True))
    yield producer.describe()


@scenario()
def transactions_with_fewer_acknowledgements(kafka: Kafka) -> Observations:
    """Transactional batches may be sent with acks 0 and 1."""
    topic, producer = kafka.topic(), Producer(kafka)
    one = transactional_batch(producer.identity, 0, "a")
    yield kafka.request(produce(topic, one, acks=1, transactional_id=producer.transactional_id))
    two = transactional_batch(producer.identity, 1, "b")
    client = kafka.connect()
    client.send(produce(topic, two, acks=0, transactional_id=producer.transactional_id), 12)
    yield client.request(fetch(topic, 1), 12)
    yield producer.end(), producer.settle()
    yield kafka.request(fetch(topic, read_committed=True))


@scenario()
def plain_batches_with_a_transactional_id(kafka: Kafka) -> Observations:
    """A transactional id does not make a batch transactional."""
    topic, producer = kafka.topic(), Producer(kafka)
    for version in VERSIONS:
        sent = produce(topic, batch("a"), transactional_id=producer.transactional_id)
        yield version, kafka.request(sent, version)
    yield kafka.request(fetch(topic, read_committed=True))
    yield producer.describe()


@scenario()
def transactional_batches_with_errors(kafka: Kafka) -> Observations:
    """Batches that are rejected by the log or its partition, and what the transaction keeps."""
    topic, producer = kafka.topic(max_message_bytes="200"), Producer(kafka)
    yield "large", producer.produce(topic, "x" * 500), producer.describe()
    broken = bytearray(transactional_batch(producer.identity, 0, "a"))
    broken[-1] ^= 0xFF
    sent = produce(topic, bytes(broken), transactional_id=producer.transactional_id)
    yield "corrupt", kafka.request(sent)
    sent = produce(topic, {7: transactional_batch(producer.identity, 0, "a")})
    sent.transactional_id = producer.transactional_id
    yield "no such partition", kafka.request(sent), producer.describe()
    yield "valid", producer.produce(topic, "a"), producer.describe()
    yield kafka.request(describe_producers(topic, 0))


@scenario()
def control_batches_of_a_producer(kafka: Kafka) -> Observations:
    """Producers do not write markers."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a").response()
    for attributes in (0x30, 0x20):
        sent = batch("a", producer=(*producer.identity, 1), attributes=attributes)
        yield kafka.request(produce(topic, sent, transactional_id=producer.transactional_id))
    yield producer.end(), producer.settle()


@scenario(alone=True)
def transactions_without_verification(kafka: Kafka) -> Observations:
    """transaction.partition.verification.enable has an effect on old requests only."""
    key = "transaction.partition.verification.enable"
    topic = kafka.topic()
    yield kafka.request(alter_configs("1", (key, SET, "false"), kind=BROKER))
    kafka.settle()
    for version in (3, 11, 12):
        producer = Producer(kafka, OLD)
        yield version, producer.produce(topic, "a", version=version), producer.describe()
    yield kafka.request(alter_configs("1", (key, SET, "true"), kind=BROKER))
    kafka.settle()
    producer = Producer(kafka, OLD)
    yield producer.produce(topic, "a"), producer.describe()
