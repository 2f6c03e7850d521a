"""acks=all with three replicas: its conditions, and each way in which the wait can end."""

from __future__ import annotations

from integration.parity.admin_requests import delete_topics, elect, reassign
from integration.parity.formatting import by_partition
from integration.parity.requests import LATEST, SHORT_MS, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import LAG_MS, SHRUNK_AFTER_MS, THREE

ALL = (1, 2, 3)
A = batch("a")


@scenario(on=THREE)
def replicated_produce_is_fast(kafka: Kafka) -> Observations:
    """With all replicas fetching, acks=all completes at once, also with min.insync.replicas 3."""
    topic = kafka.topic(replicas=ALL, min_insync_replicas="3")
    kafka.request(produce(topic, A))  # the followers' first fetch of a new topic may be late
    for _ in range(3):
        yield kafka.start(produce(topic, A))
    yield kafka.request(fetch(topic))


@scenario(on=THREE, alone=True)
def produce_waits_for_a_paused_follower(kafka: Kafka) -> Observations:
    """acks=all waits for every in-sync replica, not only for min.insync.replicas of them."""
    topic = kafka.topic(replicas=ALL, min_insync_replicas="2")
    kafka.pause(3)
    parked = kafka.start(produce(topic, A))
    yield "waits", parked.waits()
    yield "acks=1 meanwhile", kafka.start(produce(topic, A, acks=1))
    kafka.resume(3)
    yield "after the resume", parked


@scenario(on=THREE, alone=True)
def produce_times_out_and_keeps_its_records(kafka: Kafka) -> Observations:
    """At timeout_ms, never before: an error, with the offset of the appended records."""
    topic = kafka.topic(replicas=ALL)
    kafka.pause(3)
    for timeout_ms in (SHORT_MS, 0, -1):
        yield timeout_ms, kafka.start(produce(topic, A, timeout_ms=timeout_ms))
    yield "unseen", kafka.request(fetch(topic, max_wait_ms=0))
    kafka.resume(3)
    yield "after the resume", kafka.request(produce(topic, A))
    yield kafka.request(fetch(topic))


@scenario(on=THREE, alone=True)
def produce_completes_when_the_isr_shrinks(kafka: Kafka) -> Observations:
    """A follower that lags too long leaves the ISR; produces and fetches that waited complete."""
    topic = kafka.topic(replicas=ALL)
    kafka.pause(3)
    parked, reader = kafka.start(produce(topic, A)), kafka.start(fetch(topic))
    yield "both wait", parked.waits(), reader.waits()
    for pending in (parked, reader):
        yield pending.response(), pending.wait.reached(0, LAG_MS // 2)
    kafka.wait_for_isr(topic, (1, 2))
    yield "next", kafka.start(produce(topic, A))
    kafka.resume(3)
    kafka.wait_for_isr(topic, ALL)
    yield "in sync again", kafka.start(produce(topic, A))


@scenario(on=THREE, alone=True)
def produce_below_the_minimum_of_replicas(kafka: Kafka) -> Observations:
    """Below min.insync.replicas new produces are rejected, and a waiting one times out."""
    topic = kafka.topic(replicas=ALL, min_insync_replicas="3")
    kafka.pause(3)
    parked = kafka.start(produce(topic, A, timeout_ms=SHRUNK_AFTER_MS + 4000))
    kafka.wait_for_isr(topic, (1, 2))
    yield "still waits", parked.waits()
    yield "refused", kafka.start(produce(topic, A))
    yield "acks=1", kafka.request(produce(topic, A, acks=1))
    yield "latest", kafka.request(list_offsets(topic, LATEST))
    yield "timed out", parked
    kafka.resume(3)
    kafka.wait_for_isr(topic, ALL)
    yield "in sync again", kafka.request(produce(topic, A))
    yield kafka.request(fetch(topic))


@scenario(on=THREE, alone=True)
def produce_with_one_partition_rejected(kafka: Kafka) -> Observations:
    """An error in one partition does not end the wait for another."""
    topic = kafka.topic(replicas=ALL)
    kafka.pause(3)
    yield "to the end", kafka.start(produce(topic, {0: A, 7: A}, timeout_ms=SHORT_MS))
    parked = kafka.start(produce(topic, {7: A, 0: A}))
    yield "waits", parked.waits()
    kafka.resume(3)
    yield "after the resume", parked


@scenario(on=THREE, alone=True)
def many_produces_complete_together(kafka: Kafka) -> Observations:
    """All produces that wait for the same follower complete when it resumes."""
    topic = kafka.topic(replicas=ALL)
    kafka.pause(3)
    parked = [kafka.start(produce(topic, A)) for _ in range(30)]
    yield "the last waits", parked[-1].waits()
    kafka.resume(3)
    offsets = [each.response().responses[0].partition_responses[0].base_offset for each in parked]
    yield sorted(offsets)
    yield parked[-1].wait.how_it_ended()


@scenario(on=THREE, alone=True)
def produce_waits_while_the_leader_moves(kafka: Kafka) -> Observations:
    """When the leader changes, waiting produces complete at once, with the appended offset."""
    topic = kafka.topic(replicas=ALL)
    kafka.request(produce(topic, A))  # node 2 fetches now, and will have the next one as well
    kafka.pause(3)
    parked = kafka.start(produce(topic, A))
    yield "waits", parked.waits()
    _move_leader(kafka, topic)
    yield "response", parked
    yield "at the old leader", kafka.request(produce(topic, A))
    kafka.resume(3)
    kafka.wait_for_leader(topic, 2)
    yield "at the new one", kafka.request(produce(topic, A), node=2)
    yield kafka.request(fetch(topic), node=2)


@scenario(on=THREE, alone=True)
def produce_with_one_leader_moved(kafka: Kafka) -> Observations:
    """A partition that lost its leader has its error; the response waits for the other one."""
    topic = kafka.topic(2, replicas=ALL)
    kafka.request(produce(topic, {0: A, 1: A}))
    kafka.pause(3)
    parked = kafka.start(produce(topic, {0: A, 1: A}, timeout_ms=SHRUNK_AFTER_MS // 2))
    yield "waits", parked.waits()
    _move_leader(kafka, topic)
    yield by_partition(parked.response()), parked.wait.how_it_ended()


@scenario(on=THREE, alone=True)
def produce_waits_while_its_topic_is_deleted(kafka: Kafka) -> Observations:
    """The deletion of a topic ends a waiting produce, with the appended offset."""
    topic = kafka.topic(replicas=ALL)
    kafka.pause(3)
    parked = kafka.start(produce(topic, A))
    yield "waits", parked.waits()
    kafka.request(delete_topics(topic))
    yield parked


@scenario(on=THREE)
def produce_at_the_wrong_node(kafka: Kafka) -> Observations:
    """A node that does not lead rejects a produce; newer versions name the leader (KIP-951)."""
    topic = kafka.topic(replicas=ALL)
    for version in (3, 9, 10, 12):
        yield version, kafka.request(produce(topic, A), version, node=2)
    elsewhere = kafka.topic(replicas=(1,))
    yield "no replica", kafka.request(produce(elsewhere, A), node=3)


def _move_leader(kafka: Kafka, topic: str) -> None:
    """Make node 2 the leader of partition 0 instead of node 1."""
    kafka.request(reassign(topic, (2, 1, 3)))
    kafka.request(elect(topic, 0))
