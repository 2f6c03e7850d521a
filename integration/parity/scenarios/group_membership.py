"""Groups of the classic protocol: accepted and rejected members."""

from __future__ import annotations

from integration.parity.group_requests import (
    commit,
    find_coordinator,
    heartbeat,
    join,
    leave,
    sync,
)
from integration.parity.members import Member, stable
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import INITIAL_DELAY_MS


@scenario()
def group_has_a_coordinator(kafka: Kafka) -> Observations:
    """FindCoordinator for one group, for many, and for an invalid key."""
    group = kafka.new_name("group")
    for version in (0, 1, 2, 3):
        requested = find_coordinator()
        requested.key = group
        yield version, kafka.request(requested, version)
    yield kafka.request(find_coordinator(group, kafka.new_name("group")))
    yield "bad type", kafka.request(find_coordinator(group, key_type=7))
    yield "no name", kafka.request(find_coordinator(""))


@scenario()
def group_gives_member_ids_first(kafka: Kafka) -> Observations:
    """A join without an id gets one at once; before v4 it joins immediately."""
    for version in (0, 1, 3, 4, 5, 7, 9):
        group = kafka.new_name("group")
        pending = kafka.start(join(group), version)
        yield version, pending.response().error_code, pending.wait.reached(0, INITIAL_DELAY_MS)


@scenario()
def group_rejects_members(kafka: Kafka) -> Observations:
    """Unknown ids, session timeouts out of range, no protocols, and no group id."""
    group = kafka.new_name("group")
    for what, requested in (
        ("unknown id", join(group, "absent")),
        ("short session", join(group, session_ms=10)),
        ("long session", join(group, session_ms=10_000_000)),
        ("no protocols", join(group, protocols=())),
        ("no kind", join(group, kind="")),
        ("no name", join("")),
    ):
        yield what, kafka.request(requested)


@scenario()
def group_of_one(kafka: Kafka) -> Observations:
    """A single member waits for the initial delay, leads, syncs, and the group is stable."""
    member = Member(kafka, kafka.new_name("group"))
    pending = member.join()
    yield member.joined(pending)
    yield pending.wait.reached(0, INITIAL_DELAY_MS, 2 * INITIAL_DELAY_MS)
    yield "before the sync", member.heartbeat()
    yield "sync", member.sync().response()
    yield "stable", member.heartbeat()
    yield "old generation", member.heartbeat(member.generation + 7)


@scenario()
def group_without_a_member(kafka: Kafka) -> Observations:
    """Responses for a group without members."""
    group = kafka.new_name("group")
    yield kafka.request(heartbeat(group, "absent", 1))
    yield kafka.request(sync(group, "absent", 1))
    yield kafka.request(leave(group, "absent"))
    yield kafka.request(commit(group, kafka.topic(), {0: 1}, member="absent", generation=1))


@scenario()
def group_of_other_protocols(kafka: Kafka) -> Observations:
    """A member without a common protocol, or of another type, is rejected."""
    (member,) = stable(kafka, kafka.new_name("group"))
    yield kafka.request(join(member.group, protocols=(("sticky", b""),)))
    yield kafka.request(join(member.group, kind="connect"))
    wrong = sync(member.group, member.id, member.generation, protocol="sticky")
    yield "another protocol", kafka.request(wrong)
    yield member.heartbeat()


@scenario()
def group_with_unknown_members(kafka: Kafka) -> Observations:
    """Requests with an unknown member or another generation in a stable group."""
    (member,) = stable(kafka, kafka.new_name("group"))
    group, generation = member.group, member.generation
    yield kafka.request(heartbeat(group, "absent", generation))
    yield kafka.request(heartbeat(group, member.id, generation + 1))
    yield kafka.request(sync(group, "absent", generation))
    yield kafka.request(sync(group, member.id, generation + 1))
    yield kafka.request(leave(group, "absent", member.id))
    yield kafka.request(heartbeat(group, member.id, generation))


@scenario()
def group_with_a_static_member(kafka: Kafka) -> Observations:
    """A static member (KIP-345) returns with a new id and keeps its assignment."""
    group = kafka.new_name("group")
    first = kafka.start(join(group, instance="one"))
    joined = first.response()
    yield joined
    generation, old = joined.generation_id, joined.member_id
    kafka.request(sync(group, old, generation, {old: b"mine"}, instance="one"))
    again = kafka.request(join(group, instance="one"))
    yield "again", again
    yield "its old id", kafka.request(heartbeat(group, old, generation, instance="one"))
    yield "unknown instance", kafka.request(heartbeat(group, old, generation, instance="two"))
    yield kafka.request(sync(group, again.member_id, again.generation_id, instance="one"))
