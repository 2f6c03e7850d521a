"""AddPartitionsToTxn and AddOffsetsToTxn: the partitions of transactions."""

from __future__ import annotations

from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import (
    Identity,
    add_in_batch,
    add_offsets,
    add_partitions,
    in_batch,
)
from integration.parity.transactional_producer import OLD, Producer


@scenario()
def partitions_of_transactions_are_added(kafka: Kafka) -> Observations:
    """Partitions may be added repeatedly and together, in every version."""
    first, second = kafka.topic(3), kafka.topic()
    for version in range(4):
        producer = Producer(kafka, OLD)
        for partitions in ({first: [0]}, {first: [0]}, {first: [2, 1], second: [0]}, {}):
            yield version, producer.add(partitions, version)
            yield producer.describe()
        yield producer.end(), producer.settle()
    yield kafka.request(fetch(first, {0: 0, 1: 0, 2: 0}))


@scenario()
def unknown_partitions_refuse_all(kafka: Kafka) -> Observations:
    """With an unknown or an internal topic, the other partitions are not attempted."""
    topic, unknown = kafka.topic(2), kafka.new_name("unknown")
    producer = Producer(kafka, OLD)
    for version in (0, 2, 3):
        for partitions in (
            {topic: [0, 7]},
            {topic: [0], unknown: [0]},
            {topic: [0, 1], "__consumer_offsets": [0]},
            {topic: [0], unknown: [0], "__transaction_state": [0], "": [0]},
            {"a b": [0], topic: [-1]},
        ):
            yield version, producer.add(partitions, version)
    yield producer.describe()


@scenario()
def partitions_of_other_producers(kafka: Kafka) -> Observations:
    """AddPartitionsToTxn of unknown ids, other producer ids and other epochs, by version."""
    topic, producer = kafka.topic(), Producer(kafka, OLD)
    producer_id, epoch = producer.identity
    unknown = kafka.new_name("transaction")
    for version in range(4):
        for name, identity in (
            (unknown, producer.identity),
            ("", producer.identity),
            (producer.transactional_id, Identity(producer_id + 10_000, epoch)),
            (producer.transactional_id, Identity(producer_id, epoch + 1)),
            (producer.transactional_id, Identity(producer_id, -1)),
        ):
            yield version, name, producer.ask(add_partitions(name, identity, {topic: [0]}), version)
    yield producer.describe()


@scenario()
def offsets_of_groups_are_added(kafka: Kafka) -> Observations:
    """AddOffsetsToTxn adds the group's partition of the offsets topic, in every version."""
    for version in range(5):
        producer = Producer(kafka, OLD)
        yield version, producer.add_offsets(kafka.new_name("group"), version)
        yield producer.describe()
        yield producer.end(), producer.settle()
    producer = Producer(kafka, OLD)
    yield "no group", producer.add_offsets("")


@scenario()
def offsets_of_other_producers(kafka: Kafka) -> Observations:
    """AddOffsetsToTxn of unknown ids, other producer ids and other epochs, by version."""
    group, producer = kafka.new_name("group"), Producer(kafka, OLD)
    producer_id, epoch = producer.identity
    unknown = kafka.new_name("transaction")
    for version in range(5):
        for name, identity in (
            (unknown, producer.identity),
            ("", producer.identity),
            (producer.transactional_id, Identity(producer_id + 10_000, epoch)),
            (producer.transactional_id, Identity(producer_id, epoch + 1)),
        ):
            yield version, name, producer.ask(add_offsets(name, identity, group), version)
    yield producer.describe()


@scenario()
def transactions_are_added_in_batches(kafka: Kafka) -> Observations:
    """Versions 4 and 5 add partitions to several transactions, each with its own errors."""
    topic, unknown = kafka.topic(2), kafka.new_name("unknown")
    for version in (4, 5):
        first, second = Producer(kafka), Producer(kafka)
        producer_id, _ = second.identity
        requested = add_in_batch(
            in_batch(first.transactional_id, first.identity, {topic: [0, 1]}),
            in_batch(second.transactional_id, Identity(producer_id, 9), {topic: [0]}),
            in_batch(kafka.new_name("transaction"), first.identity, {topic: [0]}),
        )
        response = first.ask(requested, version)
        response.results_by_transaction.sort(key=lambda each: each.transactional_id)
        for each in response.results_by_transaction:
            for results in each.topic_results:
                results.results_by_partition.sort(key=lambda result: result.partition_index)
            yield version, each
        mixed = in_batch(second.transactional_id, second.identity, {topic: [0], unknown: [0]})
        (each,) = first.ask(add_in_batch(mixed), version).results_by_transaction
        each.topic_results.sort(key=lambda result: result.name)
        yield version, each
        yield first.describe(), second.describe()


@scenario()
def transactions_are_verified(kafka: Kafka) -> Observations:
    """A verification reports partitions that are not in the transaction, and adds nothing."""
    topic, producer = kafka.topic(2), Producer(kafka)
    producer_id, epoch = producer.identity
    producer.add({topic: [0]})
    for version in (4, 5):
        for name, identity in (
            (producer.transactional_id, producer.identity),
            (producer.transactional_id, Identity(producer_id + 10_000, epoch)),
            (producer.transactional_id, Identity(producer_id, epoch + 1)),
            (kafka.new_name("transaction"), producer.identity),
        ):
            verified = in_batch(name, identity, {topic: [0, 1]}, verify=True)
            (each,) = producer.ask(add_in_batch(verified), version).results_by_transaction
            each.topic_results[0].results_by_partition.sort(key=lambda one: one.partition_index)
            yield version, each
    yield producer.describe()
    producer.complete()
    verified = in_batch(producer.transactional_id, producer.identity, {topic: [0]}, verify=True)
    yield "complete", producer.ask(add_in_batch(verified))


@scenario()
def transactions_added_in_batches_end(kafka: Kafka) -> Observations:
    """The protocol of the last addition is recorded, so that old ends follow new additions."""
    topic = kafka.topic()
    for version, end in ((4, 4), (5, 5), (3, 5)):
        producer = Producer(kafka, OLD)
        if version == 3:
            yield producer.add({topic: [0]})
        else:
            added = in_batch(producer.transactional_id, producer.identity, {topic: [0]})
            yield producer.ask(add_in_batch(added), version)
        yield producer.end(version=end), producer.settle()
    yield kafka.request(fetch(topic))
