"""Incremental fetches (KIP-227): the state of a session, and its end."""

from __future__ import annotations

from integration.parity.admin_requests import delete_topics
from integration.parity.requests import PATIENT_MS, SHORT_MS, batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario

A = batch("a")
NEW = (0, 0)


@scenario()
def session_returns_only_changes(kafka: Kafka) -> Observations:
    """An incremental response contains changed partitions only."""
    topic = kafka.topic(2)
    first = kafka.request(fetch(topic, {0: 0, 1: 0}, session=NEW, max_wait_ms=0))
    yield "new session", first
    yield (
        "no changes",
        kafka.start(fetch(topic, {}, session=(first.session_id, 1), max_wait_ms=SHORT_MS)),
    )
    parked = kafka.start(fetch(topic, {}, session=(first.session_id, 2)))
    yield "waits", parked.waits()
    kafka.request(produce(topic, {1: A}))
    yield "one changed", parked
    yield "again", kafka.request(fetch(topic, {1: 1}, session=(first.session_id, 3), max_wait_ms=0))


@scenario()
def session_epochs(kafka: Kafka) -> Observations:
    """A wrong epoch is rejected and the session continues; an unknown session is rejected."""
    topic = kafka.topic()
    session = kafka.request(fetch(topic, session=NEW, max_wait_ms=0)).session_id
    for epoch in (2, 7, 1):
        yield epoch, kafka.start(fetch(topic, {}, session=(session, epoch), max_wait_ms=SHORT_MS))
    yield "unknown", kafka.start(fetch(topic, session=(session + 1, 1)))
    yield "still there", kafka.start(fetch(topic, {}, session=(session, 2), max_wait_ms=SHORT_MS))


@scenario()
def session_forgets_partitions(kafka: Kafka) -> Observations:
    """A forgotten partition does not wake the fetch; forgetting all of them ends the session."""
    topic = kafka.topic(2)
    session = kafka.request(fetch(topic, {0: 0, 1: 0}, session=NEW, max_wait_ms=0)).session_id
    parked = kafka.start(fetch(topic, {}, session=(session, 1), forget=(0,), max_wait_ms=SHORT_MS))
    kafka.request(produce(topic, {0: A}))
    yield "only the other", parked
    yield "nothing left", kafka.start(fetch(topic, {}, session=(session, 2), forget=(1,)))
    yield "ended", kafka.start(fetch(topic, {}, session=(session, 3)))


@scenario()
def session_is_closed_by_its_client(kafka: Kafka) -> Observations:
    """Epoch -1 with a session id ends the session after a full response."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    session = kafka.request(fetch(topic, session=NEW)).session_id
    yield "closing", kafka.request(fetch(topic, {0: 0}, session=(session, -1)))
    yield "closed", kafka.request(fetch(topic, {}, session=(session, 1), max_wait_ms=0))


@scenario()
def session_takes_new_offsets_and_partitions(kafka: Kafka) -> Observations:
    """A partition that is sent again has a new offset from then on; a new one joins the session."""
    topic = kafka.topic(2)
    kafka.request(produce(topic, {0: A, 1: A}))
    session = kafka.request(fetch(topic, {0: 0}, session=NEW)).session_id
    yield "unchanged", kafka.request(fetch(topic, {}, session=(session, 1)))
    yield "moved on", kafka.request(fetch(topic, {0: 1}, session=(session, 2), max_wait_ms=0))
    yield "one more", kafka.request(fetch(topic, {1: 0}, session=(session, 3)))


@scenario()
def session_repeats_errors(kafka: Kafka) -> Observations:
    """A partition with an error is in every response."""
    topic = kafka.topic(2)
    first = kafka.request(fetch(topic, {0: 0, 1: 5, 9: 0}, session=NEW))
    yield "at first", first
    for epoch in (1, 2):
        yield epoch, kafka.request(fetch(topic, {}, session=(first.session_id, epoch)))


@scenario()
def session_begins_without_partitions(kafka: Kafka) -> Observations:
    """Later requests add partitions to it."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    first = kafka.request(fetch(topic, {}, session=NEW))
    yield "empty", first
    yield "added", kafka.request(fetch(topic, {0: 0}, session=(first.session_id, 1)))


@scenario()
def session_ends_with_a_partition_that_is_named_and_forgotten(kafka: Kafka) -> Observations:
    """The partition is read without a session."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    session = kafka.request(fetch(topic, session=NEW)).session_id
    yield "read", kafka.request(fetch(topic, {0: 0}, session=(session, 1), forget=(0,)))
    yield "ended", kafka.request(fetch(topic, {}, session=(session, 2)))


@scenario()
def session_forgets_an_unknown_partition(kafka: Kafka) -> Observations:
    """Forgetting an unknown partition changes nothing."""
    topic = kafka.topic()
    session = kafka.request(fetch(topic, session=NEW, max_wait_ms=0)).session_id
    yield kafka.start(fetch(topic, {}, session=(session, 1), forget=(5,), max_wait_ms=SHORT_MS))


@scenario()
def session_with_a_deleted_topic(kafka: Kafka) -> Observations:
    """A deleted topic is unknown in the next responses of the session."""
    topic = kafka.topic()
    session = kafka.request(fetch(topic, session=NEW, max_wait_ms=0)).session_id
    parked = kafka.start(fetch(topic, {}, session=(session, 1)))
    yield "waits", parked.waits()
    kafka.request(delete_topics(topic))
    yield "deleted", parked
    yield "afterwards", kafka.start(fetch(topic, {}, session=(session, 2), max_wait_ms=PATIENT_MS))
