"""The rate of throttled replication, applied by a leader to a follower that is not in sync."""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import BROKER, DELETE, SET, alter_configs
from integration.parity.requests import SHORT_MS, batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE
from protocol.messages.fetch import FetchRequest

A = batch("a")
VERSION = 12  # the last one that has the id of a follower without its epoch
RATE = "leader.replication.throttled.rate"
REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER = 2
LEADER = 1


@scenario(on=THREE, alone=True)
def a_leader_throttles_a_follower(kafka: Kafka) -> Observations:
    """While the rate is exceeded, a listed replica that is not in sync gets no records."""
    topic = _topic_behind(kafka)
    yield "without a rate", kafka.request(_fetch(topic), VERSION)
    _set_rate(kafka, "1")
    yield "not listed", kafka.request(_fetch(topic), VERSION)
    _list(kafka, topic, f"0:{FOLLOWER}")
    yield "the follower is listed", kafka.request(_fetch(topic), VERSION)
    _list(kafka, topic, f"0:{LEADER}")
    _exceed(kafka, topic)
    yield "the leader is listed", kafka.start(_fetch(topic), VERSION)
    yield "a consumer", kafka.request(fetch(topic))
    parked = kafka.start(_fetch(topic, max_wait_ms=10 * SHORT_MS), VERSION)
    kafka.request(produce(topic, A, acks=1))
    yield "after an append", parked.waits()
    _set_rate(kafka, str(10**9))
    yield "within the rate", kafka.request(_fetch(topic), VERSION)
    _set_rate(kafka, None)


def _topic_behind(kafka: Kafka) -> str:
    """A topic with three batches, of which the follower is out of sync."""
    topic = kafka.topic(replicas=(LEADER, FOLLOWER))
    kafka.pause(FOLLOWER)
    for _ in range(3):
        kafka.request(produce(topic, A, acks=1))
    kafka.wait_for_isr(topic, (LEADER,))
    return topic


def _fetch(topic: str, max_wait_ms: int = SHORT_MS) -> FetchRequest:
    """The fetch of the follower, which gets one batch."""
    request = fetch(topic, max_wait_ms=max_wait_ms, partition_max_bytes=len(A))
    request.replica_id = FOLLOWER
    return request


def _set_rate(kafka: Kafka, rate: str | None) -> None:
    kafka.request(alter_configs("", (RATE, DELETE if rate is None else SET, rate), kind=BROKER))
    kafka.settle()


def _list(kafka: Kafka, topic: str, replicas: str) -> None:
    kafka.request(alter_configs(topic, (REPLICAS, SET, replicas)))
    kafka.settle()


def _exceed(kafka: Kafka, topic: str) -> None:
    """Fetch until records are withheld."""

    def is_withheld() -> bool:
        response = kafka.request(_fetch(topic), VERSION)
        return not response.responses[0].partitions[0].records

    eventually(is_withheld, "the rate is exceeded")
