"""DeleteRecords over three replicas: it waits until each has moved its beginning."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records
from integration.parity.requests import EARLIEST, SHORT_MS, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Story, scenario
from integration.parity.setups import THREE
from integration.parity.telling import by_partition

ALL = (1, 2, 3)


@scenario(on=THREE)
def deletion_is_told_by_the_followers(kafka: Kafka) -> Story:
    """With all replicas well it takes as long as the followers' own fetches may wait."""
    topic = _with_records(kafka)
    yield kafka.ask(delete_records(topic, {0: 2}))
    yield kafka.ask(list_offsets(topic, EARLIEST))


@scenario(on=THREE, alone=True)
def deletion_waits_for_a_paused_follower(kafka: Kafka) -> Story:
    """At its timeout an error and the low watermark as it is; the leader's beginning has moved."""
    topic = _with_records(kafka)
    kafka.pause(3)
    for timeout_ms in (SHORT_MS, 0):
        late = kafka.start(delete_records(topic, {0: 2, 5: 1}, timeout_ms=timeout_ms))
        yield timeout_ms, by_partition(late.answer()), late.wait.how_it_ended()
    yield "below", kafka.ask(fetch(topic, 1, max_wait_ms=0))
    parked = kafka.start(delete_records(topic, {0: 3}))
    yield "waits", parked.waits()
    kafka.resume(3)
    yield "after the resume", parked.answer()


@scenario(on=THREE)
def deletion_at_the_wrong_node(kafka: Kafka) -> Story:
    """Only the leader deletes."""
    yield kafka.ask(delete_records(_with_records(kafka), {0: 2}), node=2)


def _with_records(kafka: Kafka) -> str:
    topic = kafka.topic(replicas=ALL)
    for value in "abcde":
        kafka.ask(produce(topic, batch(value)))
    return topic
