"""Fetches from replicated partitions: visible records, and the events that wake them."""

from __future__ import annotations

from integration.parity.requests import LATEST, SHORT_MS, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE
from protocol.errors import ErrorCode

ALL = (1, 2, 3)
A = batch("a")


@scenario(on=THREE, alone=True)
def fetch_sees_nothing_above_the_high_watermark(kafka: Kafka) -> Observations:
    """A fetch at the high watermark waits for its advance, not for appends above it."""
    topic = kafka.topic(replicas=ALL)
    kafka.request(produce(topic, A))
    kafka.pause(3)
    kafka.request(produce(topic, A, acks=1))
    yield "latest", kafka.request(list_offsets(topic, LATEST))
    yield "at the end", kafka.start(fetch(topic, 1, max_wait_ms=SHORT_MS))
    parked = kafka.start(fetch(topic, 1))
    kafka.request(produce(topic, A, acks=1))
    yield "not woken by an append", parked.waits()
    yield "above it", kafka.start(fetch(topic, 2))
    yield "at the log's end", kafka.start(fetch(topic, 3))
    yield "beyond", kafka.start(fetch(topic, 4))
    kafka.resume(3)
    yield "when it moves", parked


@scenario(on=THREE, alone=True)
def fetch_counts_only_what_is_replicated(kafka: Kafka) -> Observations:
    """min_bytes counts bytes below the high watermark."""
    topic = kafka.topic(replicas=ALL)
    kafka.request(produce(topic, A))
    kafka.pause(3)
    parked = kafka.start(fetch(topic, min_bytes=2 * len(A)))
    kafka.request(produce(topic, A, acks=1))
    yield "waits", parked.waits()
    kafka.resume(3)
    yield "when replicated", parked


@scenario(on=THREE)
def fetch_from_a_follower(kafka: Kafka) -> Observations:
    """Old clients must fetch from the leader; newer ones may fetch from any replica."""
    topic = kafka.topic(replicas=ALL)
    kafka.request(produce(topic, A))
    for version in (4, 10, 11, 12):
        (response,) = kafka.request(fetch(topic), version, node=2).responses[0].partitions
        yield version, ErrorCode(response.error_code), kafka.formatter.records(response.records)
    elsewhere = kafka.topic(replicas=(1,))
    yield "no replica", kafka.start(fetch(elsewhere), 12, node=3)


@scenario(on=THREE)
def fetch_waits_at_a_follower(kafka: Kafka) -> Observations:
    """A fetch from a follower waits until the follower learns the new high watermark."""
    topic = kafka.topic(replicas=ALL)
    parked = kafka.start(fetch(topic), 12, node=2)
    yield "waits", parked.waits()
    kafka.request(produce(topic, A))
    yield parked.response()


@scenario(on=THREE)
def offsets_at_the_wrong_node(kafka: Kafka) -> Observations:
    """Only the leader serves ListOffsets."""
    topic = kafka.topic(replicas=ALL)
    yield kafka.request(list_offsets(topic, LATEST), node=2)
    yield kafka.request(list_offsets(kafka.topic(replicas=(1,)), LATEST), node=3)


@scenario(on=THREE)
def fetch_with_epochs_at_a_follower(kafka: Kafka) -> Observations:
    """Followers check epochs, too."""
    topic = kafka.topic(replicas=ALL)
    for epoch in (-1, 0, 1):
        requested = fetch(topic, leader_epoch=epoch, max_wait_ms=0)
        yield epoch, kafka.request(requested, 12, node=2)
