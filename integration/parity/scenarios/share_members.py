"""Share groups: several members with the same partitions, and members with several partitions."""

from __future__ import annotations

from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE
from integration.parity.share_member import ShareGroup, ShareMember


@scenario(on=SHARE)
def share_members_release_in_any_order(kafka: Kafka) -> Observations:
    """Released records are delivered by offset, whoever had them and whenever they came back."""
    group = ShareGroup(kafka)
    group.produce(5, 5, 5, 5)
    members = [group.member(name) for name in "abcd"]
    for each in members:
        yield each.member_id, each.fetch(max_records=1)
    a, b, c, d = members
    yield d.acknowledge("17-18 release"), a.acknowledge("3-4 release"), c.acknowledge("10 release")
    yield "first", b.fetch(max_records=1, mode=1)
    yield "second", b.fetch(max_records=2, mode=1)
    yield "rest", b.fetch()
    yield b.acknowledge("3-4 release", "10-10 release", "17-18 accept")
    yield "again", c.fetch()


@scenario(on=SHARE)
def share_members_take_turns(kafka: Kafka) -> Observations:
    """Records that members release again and again go around, with growing counts."""
    group = ShareGroup(kafka)
    group.produce(6)
    members = [group.member(name) for name in "abc"]
    for turn in range(2):
        for each in members:
            yield turn, each.member_id, each.fetch(max_records=2, mode=1)
        for each, offsets in zip(members, ("4-5", "0-1", "2-3"), strict=True):
            yield each.acknowledge(f"{offsets} release")
        for each, offsets in zip(members, ("0-1", "2-3", "4-5"), strict=True):
            yield each.acknowledge(f"{offsets} release")


@scenario(on=SHARE)
def share_members_of_two_groups(kafka: Kafka) -> Observations:
    """Groups are independent, also for members with the same id."""
    first = ShareGroup(kafka)
    second = ShareGroup(kafka)
    second.topic, second.topic_id = first.topic, first.topic_id
    second.initialize(1)
    first.produce(5)
    a, b = first.member("a"), second.member("a")
    yield a.fetch()
    yield b.fetch(max_wait_ms=3000)
    yield a.acknowledge("0-4 accept")
    yield b.acknowledge("0-4 release")
    yield b.fetch()
    yield a.fetch()


@scenario(on=SHARE)
def share_acknowledges_several_partitions(kafka: Kafka) -> Observations:
    """Each partition of a request is applied completely or not at all, whatever the others are."""
    group, a, b = _of_two_partitions(kafka)
    yield "both", a.acknowledge_all({0: ["0-1 accept"], 1: ["0-1 accept"]})
    yield "one", a.acknowledge_all({0: ["2-3 accept"], 1: ["2-3 accept", "3-4 accept"]})
    yield "one unknown", a.acknowledge_all({1: ["2-3 reject"], 2: ["0-1 accept"]})
    yield "no batches of one", a.acknowledge_all({0: [], 1: ["4-4 accept"]})
    yield "no batches", a.acknowledge_all({0: []})
    yield "no batches of an unknown one", a.acknowledge_all({0: [], 2: []})
    yield "batches of an unknown one", a.acknowledge_all({0: [], 2: ["0-0 accept"]})
    yield "a bad batch of another", a.acknowledge_all({0: [], 1: ["4-3 accept"]})
    yield a.acknowledge("4-4 release")
    yield b.fetch(0, 1)
    group.produce(1, partition=1)
    yield b.fetch()


@scenario(on=SHARE)
def share_acknowledges_partitions_of_others(kafka: Kafka) -> Observations:
    """A partition that was never fetched, one that is not in the session, and a forgotten one."""
    group = ShareGroup(kafka, 2)
    group.produce(5)
    group.produce(5, partition=1)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(0)
    yield "not fetched", a.acknowledge("0-4 accept", partition=1)
    yield b.fetch(1)
    yield "of another", a.acknowledge("0-4 accept", partition=1)
    yield a.fetch(forgotten=[0])
    yield "forgotten", a.acknowledge("0-4 accept")


def _of_two_partitions(kafka: Kafka) -> tuple[ShareGroup, ShareMember, ShareMember]:
    """Member a has five records of each partition, member b none."""
    group = ShareGroup(kafka, 2)
    group.produce(5)
    group.produce(5, partition=1)
    a, b = group.member("a"), group.member("b")
    a.fetch(0, 1)
    a.fetch()  # Kafka may have delivered one partition only
    return group, a, b
