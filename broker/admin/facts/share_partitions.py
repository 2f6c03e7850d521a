"""The share partitions: which of their records are in flight, who holds them, and until when.

A share partition is *active* at the leader of the partition while members of its group have
sessions there, and *loading* while the leader reads its state. Otherwise it is *stored*: the share
coordinator has its state, in which no record is acquired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from broker.admin.facts.facts import ShareQuery
from broker.admin.facts.json_object import JsonObject
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage
from broker.groups.share.group import ShareGroup
from broker.node import Node
from broker.share.gaps import Gaps
from broker.share.in_flight_batch import Run
from broker.share.in_flight_records import InFlightRecords
from broker.share.in_flight_window import InFlightWindow
from broker.share.record_state import ACQUIRED, AVAILABLE, RecordState
from broker.share.share_partition import PartitionState, SharePartition
from broker.share.share_partition_key import SharePartitionKey
from broker.share.stored_state import InvalidState, restore
from broker.share_coordinator.share_partition_state import SharePartitionState
from protocol.printable import printable


class _Found(NamedTuple):
    """A share partition, at its leader or as the share coordinator has stored it."""

    leader: int
    name: TopicPartition
    key: SharePartitionKey
    held: SharePartition | SharePartitionState


def share_partitions(
    nodes: Iterable[Node], image: MetadataImage, query: ShareQuery
) -> list[JsonObject]:
    """The share partitions that match, as docs/reference/admin.md lists them."""
    _, rows = share_partition_rows(nodes, image, query)
    return list(rows)


def share_partition_rows(
    nodes: Iterable[Node], image: MetadataImage, query: ShareQuery
) -> tuple[int, Iterator[JsonObject]]:
    """The number of those that match, and their facts by group, topic and partition."""
    by_id = {node.id: node for node in nodes}
    found = {each.key: each for each in _stored(by_id.values(), image)}
    found |= {each.key: each for each in _in_use(by_id.values())}
    matching = sorted(
        (each for each in found.values() if query.matches(each.key.group_id, *each.name)),
        key=lambda each: (each.key.group_id, each.name),
    )
    shown = islice(matching, query.limit)
    return len(matching), (_described(by_id, each, query.batches) for each in shown)


def _stored(nodes: Iterable[Node], image: MetadataImage) -> Iterator[_Found]:
    for node in nodes:
        for states in list(node.share_groups.coordinator.states.values()):
            for key, state in list(states.states.items()):
                topic = image.topic_by_id(key.topic_id)
                if topic is not None and key.partition < len(topic.partitions):
                    leader = topic.partitions[key.partition].leader
                    yield _Found(leader, TopicPartition(topic.name, key.partition), key, state)


def _in_use(nodes: Iterable[Node]) -> Iterator[_Found]:
    for node in nodes:
        by_key = node.share_groups.partitions.partitions.by_key
        for key, share_partition in list(by_key.items()):
            yield _Found(node.id, share_partition.name, key, share_partition)


def _described(nodes: Mapping[int, Node], found: _Found, batches_max: int) -> JsonObject:
    leader, name, key, held = found
    node = nodes.get(leader)
    state, records = _records(held)
    return {
        "node": leader,
        "group": printable(key.group_id),
        "topic": name.topic,
        "partition": name.partition,
        "state": state,
        "leader_epoch": held.leader_epoch,
        **_progress(records, _high_watermark(node, name)),
        **_limits(node, key.group_id),
        **_counts(records),
        "members": [] if node is None else _members(node, key, _client_ids(nodes, key.group_id)),
        "batch_count": 0 if records is None else sum(1 for _ in records.window.runs()),
        "batches": [] if records is None else _batches(node, records, batches_max),
    }


def _records(held: SharePartition | SharePartitionState) -> tuple[str, InFlightRecords | None]:
    """The state and the in-flight records; None if they are not known."""
    if isinstance(held, SharePartition):
        is_active = held.state is PartitionState.ACTIVE
        return ("active", held.records) if is_active else ("loading", None)
    if held.start_offset < 0:
        return "stored", None
    try:
        return "stored", InFlightRecords(
            held.start_offset, *restore(held.start_offset, held.batches)
        )
    except InvalidState:
        return "invalid", InFlightRecords(held.start_offset, InFlightWindow(), Gaps())


def _high_watermark(node: Node | None, name: TopicPartition) -> int | None:
    partition = None if node is None else node.replicas.partitions.get(name)
    return None if partition is None else partition.log.high_watermark


def _progress(records: InFlightRecords | None, high_watermark: int | None) -> JsonObject:
    """The offsets, and the lag: the records that are not complete (KIP-1226)."""
    if records is None:
        offsets = dict.fromkeys(("start_offset", "end_offset", "next_offset"))
        return {**offsets, "high_watermark": high_watermark, "lag": None}
    lag = None
    if high_watermark is not None:
        lag = max(0, high_watermark - records.start_offset - records.complete_count)
    return {
        "start_offset": records.start_offset,
        "end_offset": records.end_offset,
        "next_offset": records.next_fetch_offset(),
        "high_watermark": high_watermark,
        "lag": lag,
    }


def _limits(node: Node | None, group_id: str) -> JsonObject:
    """The settings of the group that limit its window; null if no leader runs."""
    settings = None if node is None else node.share_groups.partitions.settings(group_id)
    if settings is None:
        names = ("in_flight_max", "delivery_count_limit", "lock_duration_ms")
        return dict.fromkeys(names)
    return {
        "in_flight_max": settings.partition_max_record_locks,
        "delivery_count_limit": settings.delivery_count_limit,
        "lock_duration_ms": settings.record_lock_duration_ms,
    }


def _counts(records: InFlightRecords | None) -> JsonObject:
    """The numbers of offsets from the start offset on: all, and by state."""
    if records is None:
        return dict.fromkeys(("in_flight", "acquired", "available", "complete"), 0)
    states: Counter[RecordState] = Counter()
    for run in records.window.runs():
        states[run.state] += max(0, run.last - max(run.first, records.start_offset) + 1)
    return {
        "in_flight": records.count,
        "acquired": states[ACQUIRED],
        "available": states[AVAILABLE],
        "complete": records.complete_count,
    }


def _client_ids(nodes: Mapping[int, Node], group_id: str) -> dict[str, str]:
    """The client ids of the group's members, as its coordinator knows them."""
    groups = (node.groups.groups.get(group_id) for node in nodes.values())
    return {
        member.member_id: member.client_id
        for group in groups
        if isinstance(group, ShareGroup)
        for member in group.members.values()
    }


def _members(node: Node, key: SharePartitionKey, client_ids: Mapping[str, str]) -> list[JsonObject]:
    """The members whose sessions at the leader have the partition."""
    sessions = node.share_groups.partitions.sessions.sessions
    return [
        {"member": printable(each.member_id), "client_id": client_ids.get(each.member_id)}
        for each, session in list(sessions.items())
        if key in session.partitions
    ]


def _batches(node: Node | None, records: InFlightRecords, batches_max: int) -> list[JsonObject]:
    now_ms = 0.0 if node is None else node.clock.now_ms()
    return [_batch(run, now_ms) for run in islice(records.window.runs(), batches_max)]


def _batch(run: Run, now_ms: float) -> JsonObject:
    """Offsets with one state. The member and the lock remain until a change is stored."""
    member_id = run.member_id if run.before is None else run.before.member_id
    left_ms = None if run.lock is None else max(0, int(run.lock.expiration_ms - now_ms))
    return {
        "first_offset": run.first,
        "last_offset": run.last,
        "state": run.state.name.lower(),
        "delivery_count": run.delivery_count,
        "member": printable(member_id) or None,
        "lock_expires_in_ms": left_ms,
        "is_being_stored": run.before is not None,
    }
