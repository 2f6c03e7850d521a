"""Groups whose coordinator replicates its records."""

from __future__ import annotations

from functools import partial

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import elect, reassign
from integration.parity.coordinators import OTHER, PAUSED, prepare
from integration.parity.group_requests import commit, committed, find_coordinator, heartbeat, join
from integration.parity.members import Member, stable
from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import BRIEF, COMMIT_TIMEOUT_MS, THREE

OFFSETS = "__consumer_offsets"


@scenario(on=THREE, alone=True)
def commits_are_fast_with_all_replicas(kafka: Kafka) -> Observations:
    """A commit is replicated within milliseconds."""
    group, topic = kafka.new_name("group"), kafka.topic()
    coordinator = _coordinator(kafka, group)
    kafka.request(commit(group, topic, {0: 2}), node=coordinator)  # the first one takes longer
    yield kafka.start(commit(group, topic, {0: 3}), node=coordinator)
    yield kafka.request(committed(group, {topic: [0]}), node=coordinator)


@scenario(on=THREE)
def nodes_that_do_not_coordinate(kafka: Kafka) -> Observations:
    """A node that is not the coordinator returns an error."""
    group, topic = kafka.new_name("group"), kafka.topic()
    wrong = next(node for node in kafka.nodes if node != _coordinator(kafka, group))
    yield kafka.request(commit(group, topic, {0: 3}), node=wrong)
    yield kafka.request(committed(group, {topic: [0]}), node=wrong)
    yield Member(kafka, group, node=wrong).join().response()
    yield kafka.request(join(group, "somebody"), node=wrong)


@scenario(on=THREE, alone=True)
def commits_wait_for_a_paused_follower(kafka: Kafka) -> Observations:
    """A commit waits for replication, and times out after offsets.commit.timeout.ms."""
    group, topic = kafka.new_name("group"), kafka.topic()
    coordinator = _coordinator(kafka, group)
    kafka.pause(_follower(coordinator))
    late = kafka.start(commit(group, topic, {0: 3}), node=coordinator)
    yield late.response(), late.wait.reached(0, COMMIT_TIMEOUT_MS)
    parked = kafka.start(commit(group, topic, {0: 4}), node=coordinator)
    yield "waits", parked.waits()
    kafka.resume(_follower(coordinator))
    yield parked


@scenario(on=THREE, alone=True)
def assignments_wait_for_a_paused_follower(kafka: Kafka) -> Observations:
    """The leader's sync waits until the assignment is replicated, as do all later requests."""
    group = kafka.new_name("group")
    coordinator = _coordinator(kafka, group)
    member = Member(kafka, group, node=coordinator)
    member.joined(member.join())
    kafka.pause(_follower(coordinator))
    parked = member.sync()
    yield "waits", parked.waits()
    kafka.resume(_follower(coordinator))
    yield parked
    yield member.heartbeat()


@scenario(on=THREE, alone=True)
def group_moves_with_its_coordinator(kafka: Kafka) -> Observations:
    """When the coordinator moves, the new one has the group's offsets and members."""
    topic, group = kafka.topic(), kafka.new_name("group")
    old = _coordinator(kafka, group)
    (member,) = stable(kafka, group, node=old)
    sent = commit(group, topic, {0: 7}, member=member.id, generation=member.generation)
    yield kafka.request(sent, node=old)
    new = _follower(old)
    _move_offsets(kafka, new)
    yield "at the old one", kafka.request(commit(group, topic, {0: 8}), node=old)
    yield kafka.request(committed(group, {topic: [0]}), node=new)
    beat = heartbeat(group, member.id, member.generation)
    yield "still a member", kafka.request(beat, node=new)
    _move_offsets(kafka, old)


@scenario(on=BRIEF, alone=True)
def offsets_are_read_while_the_loaded_end_is_not_replicated(kafka: Kafka) -> Observations:
    """A new coordinator returns the offsets that were replicated before, and not later ones."""
    topic, group = kafka.topic(2), kafka.new_name("group")
    prepare(kafka)
    kafka.request(commit(group, topic, {0: 1}))
    kafka.request(commit(group, topic, {1: 1}))
    kafka.request(fetch(OFFSETS, max_wait_ms=0), node=OTHER)
    kafka.pause(PAUSED)
    late = kafka.start(commit(group, topic, {0: 2}))
    other = kafka.start(commit(kafka.new_name("group"), topic, {0: 2}))
    yield "waits", late.waits(), other.waits()
    kafka.request(reassign(OFFSETS, (OTHER, 1, PAUSED)))
    kafka.request(elect(OFFSETS, 0))
    requested = committed(group, {topic: [0, 1]})
    eventually(partial(_is_loaded, kafka, group, topic), "the new coordinator has loaded")
    for _ in range(3):
        yield kafka.request(requested, node=OTHER)
    yield kafka.request(committed(group, None), node=OTHER)
    stable_offsets = kafka.start(committed(group, {topic: [0, 1]}, require_stable=True), node=OTHER)
    yield "stable waits", stable_offsets.waits()
    kafka.resume(PAUSED)
    yield stable_offsets.response()
    yield kafka.request(requested, node=OTHER)
    yield late.response(), other.response()


def _is_loaded(kafka: Kafka, group: str, topic: str) -> bool:
    (found,) = kafka.request(committed(group, {topic: [0]}), node=OTHER).groups
    return bool(found.error_code == 0)


def _move_offsets(kafka: Kafka, to: int) -> None:
    """Make a node the leader of the offsets partition, and wait until it has loaded it."""
    others = [node for node in kafka.nodes if node != to]
    kafka.request(reassign(OFFSETS, (to, *others)))
    kafka.request(elect(OFFSETS, 0))
    kafka.wait_for_leader(OFFSETS, to)
    requested = committed("any", {})
    eventually(
        lambda: kafka.request(requested, node=to).groups[0].error_code == 0,
        f"the coordinator at {to}",
    )


def _coordinator(kafka: Kafka, group: str) -> int:
    (found,) = kafka.request(find_coordinator(group)).coordinators
    node: int = found.node_id
    return node


def _follower(coordinator: int) -> int:
    """A node to pause: neither the coordinator nor the one with the controller."""
    return 2 if coordinator == 3 else 3
