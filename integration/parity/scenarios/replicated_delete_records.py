"""DeleteRecords with three replicas: it waits until each has moved its log start offset."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records
from integration.parity.formatting import by_partition
from integration.parity.requests import EARLIEST, SHORT_MS, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE

ALL = (1, 2, 3)


@scenario(on=THREE)
def deletion_waits_for_the_followers(kafka: Kafka) -> Observations:
    """With all replicas fetching, it takes at most a follower's fetch wait."""
    topic = _with_records(kafka)
    yield kafka.request(delete_records(topic, {0: 2}))
    yield kafka.request(list_offsets(topic, EARLIEST))


@scenario(on=THREE, alone=True)
def deletion_waits_for_a_paused_follower(kafka: Kafka) -> Observations:
    """The timeout gives an error and the low watermark; the leader's log start has moved."""
    topic = _with_records(kafka)
    kafka.pause(3)
    for timeout_ms in (SHORT_MS, 0):
        late = kafka.start(delete_records(topic, {0: 2, 5: 1}, timeout_ms=timeout_ms))
        yield timeout_ms, by_partition(late.response()), late.wait.how_it_ended()
    yield "below", kafka.request(fetch(topic, 1, max_wait_ms=0))
    parked = kafka.start(delete_records(topic, {0: 3}))
    yield "waits", parked.waits()
    kafka.resume(3)
    yield "after the resume", parked.response()


@scenario(on=THREE)
def deletion_at_the_wrong_node(kafka: Kafka) -> Observations:
    """Only the leader deletes records."""
    yield kafka.request(delete_records(_with_records(kafka), {0: 2}), node=2)


def _with_records(kafka: Kafka) -> str:
    topic = kafka.topic(replicas=ALL)
    for value in "abcde":
        kafka.request(produce(topic, batch(value)))
    return topic
