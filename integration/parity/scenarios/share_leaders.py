"""Share partitions whose leader moves to another node."""

from __future__ import annotations

from functools import partial

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import elect, reassign
from integration.parity.coordinators import PAUSED, prepare
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE
from integration.parity.share_member import ShareGroup
from integration.parity.share_requests import alter_offsets, describe_offsets
from protocol.messages.describe_share_group_offsets import DescribeShareGroupOffsetsRequest

WAIT_MS = 4000
LOADED_MS = 3000  # the new leader reads the state meanwhile


@scenario(on=THREE)
def share_leader_moves(kafka: Kafka) -> Observations:
    """The new leader continues what was stored; locks are lost without an additional delivery."""
    group = ShareGroup(kafka, replicas=(2, 3))
    group.produce(10, 10, 10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=20)
    yield a.acknowledge("2-4 accept", "8-9 release", "12-12 reject")
    yield b.fetch(max_records=1)
    _move(kafka, group, 3, 2)
    yield "old leader", a.acknowledge("0-1 accept", message=True)
    yield a.fetch(), b.fetch()
    c, d = group.member("a"), group.member("d")
    yield "no session", c.fetch(epoch=2), c.acknowledge("0-1 accept", epoch=2)
    yield "new leader", c.fetch(max_wait_ms=LOADED_MS, max_records=12)
    yield c.acknowledge("0-1 accept", "5-7 release")
    yield d.fetch()
    yield d.fetch()


@scenario(on=THREE)
def share_leader_returns(kafka: Kafka) -> Observations:
    """The first leader reads the state anew, with what the second one has stored."""
    group = ShareGroup(kafka, replicas=(2, 3))
    group.produce(10, 10)
    a = group.member("a")
    yield a.fetch(max_records=1)
    yield a.acknowledge("0-4 accept")
    _move(kafka, group, 3, 2)
    b = group.member("b")
    yield b.fetch(max_wait_ms=LOADED_MS, max_records=1)
    yield b.acknowledge("5-6 accept", "7-7 release")
    _move(kafka, group, 2, 3)
    yield "earlier lock", a.acknowledge("8-9 accept")
    yield a.fetch(max_wait_ms=LOADED_MS)
    yield a.acknowledge("7-19 accept")
    yield "second leader", b.acknowledge("8-9 accept")


@scenario(on=THREE)
def share_leader_moves_under_a_waiting_fetch(kafka: Kafka) -> Observations:
    """A fetch that waits at the old leader ends without records."""
    group = ShareGroup(kafka, replicas=(2, 3))
    a = group.member("a")
    yield a.fetch()
    parked = a.start(max_wait_ms=WAIT_MS)
    yield "waits", parked.waits()
    _move(kafka, group, 3, 2)
    group.produce(1)
    yield parked
    yield a.fetch()


@scenario(on=THREE)
def share_leader_is_another_node(kafka: Kafka) -> Observations:
    """A follower and a node without a replica name the leader."""
    group = ShareGroup(kafka, replicas=(2, 3))
    group.produce(5)
    for node in (3, 1):
        a = group.member("a", node=node)
        yield node, a.start(max_wait_ms=WAIT_MS)
        yield node, a.acknowledge("0-4 accept", message=True)


def _move(kafka: Kafka, group: ShareGroup, *replicas: int) -> None:
    """Make the first of *replicas* the leader."""
    kafka.request(reassign(group.topic, replicas))
    kafka.request(elect(group.topic, 0))
    kafka.wait_for_leader(group.topic, replicas[0])
    group.leader = replicas[0]


@scenario(on=THREE, alone=True, slow=True)
def share_offsets_without_a_leader(kafka: Kafka) -> Observations:
    """A partition without a leader has an error instead of its start offset and lag."""
    prepare(kafka)
    group, lost = ShareGroup(kafka, replicas=(1,)), kafka.topic(replicas=(PAUSED,))
    group.produce(10)
    for topic, offset in ((group.topic, 4), (lost, 5)):
        kafka.request(alter_offsets(group.id, topic, {0: offset}))
    kafka.crash(PAUSED)
    kafka.wait_for_leader(lost, -1)
    for topic in (group.topic, lost):
        described = describe_offsets(group.id, topic, 0)
        eventually(partial(_is_known, kafka, described), "the state of the share partition")
        for version in (0, 1):
            yield kafka.request(described, version)


def _is_known(kafka: Kafka, request: DescribeShareGroupOffsetsRequest) -> bool:
    """Whether the share coordinator has loaded the state."""
    (topic,) = kafka.request(request).groups[0].topics
    return bool(topic.partitions[0].start_offset != -1)
