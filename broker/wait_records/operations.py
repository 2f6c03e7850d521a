"""What a delayed operation of partitions waits for, in a few words for records and for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from broker.common.topic_partition import TopicPartition
from protocol.messages.join_group import JoinGroupRequest
from protocol.messages.produce import ProduceRequest
from protocol.messages.sync_group import SyncGroupRequest
from purgatories.delayed_operation import DelayedOperation
from purgatories.operations.delayed_delete_records import DelayedDeleteRecords
from purgatories.operations.delayed_fetch import DelayedFetch
from purgatories.operations.delayed_produce import DelayedProduce

if TYPE_CHECKING:
    from broker.api.services import Services
    from broker.replication.partition import Partition

Facts = dict[str, Any]

FLUSH: Facts = {"kind": "flush"}


def purgatory_of(operation: DelayedOperation) -> str:
    """The purgatory it waits in."""
    if isinstance(operation, DelayedProduce):
        return "Produce"
    if isinstance(operation, DelayedFetch):
        return "Fetch"
    assert isinstance(operation, DelayedDeleteRecords)
    return "DeleteRecords"


def wait_without_operation(node: Services, body: object) -> tuple[str, Facts, int | None]:
    """Purgatory, condition and limit of a request that waits without an operation.

    That is a produce which waits for the disk to have its records (``flush.messages``), or a
    group's request. A join waits for the members of the group, and so does a sync until the
    leader's has come; the leader's own, a commit and all others wait for what the group has written
    to be stored.
    """
    if isinstance(body, ProduceRequest):
        return "Produce", FLUSH, None
    group = getattr(body, "group_id", None)
    if isinstance(body, JoinGroupRequest):
        given_ms = body.rebalance_timeout_ms
        timeout_ms = body.session_timeout_ms if given_ms < 0 else given_ms
        return "Rebalance", {"kind": "members", "group": group}, timeout_ms
    if isinstance(body, SyncGroupRequest) and not body.assignments:
        return "Rebalance", {"kind": "members", "group": group}, None
    return "Produce", {"kind": "stored", "group": group}, node.config.offsets_commit_timeout_ms


def unanswered(operation: DelayedOperation) -> Iterator[tuple[TopicPartition, int]]:
    """Its partitions and the offset of each, unless its handler has noted them: a produce's has."""
    if isinstance(operation, DelayedFetch):
        for each in operation.partitions:
            yield each.key, each.start.message_offset
        return
    assert isinstance(operation, DelayedDeleteRecords)
    for key, deleted in operation.statuses.items():
        yield key, deleted.required_offset


def waited_for(node: Services, operation: DelayedOperation) -> Facts | None:
    """What it lacks now: of several partitions the first that is not decided; None: nothing."""
    if isinstance(operation, DelayedFetch):
        had = operation.available_bytes() or 0
        return {"kind": "min_bytes", "need": operation.min_bytes, "had": had}
    assert isinstance(operation, DelayedProduce | DelayedDeleteRecords)
    for key, status in operation.statuses.items():
        partition = node.replicas.partitions.get(key)
        if status.acks_pending and partition is not None:
            if isinstance(operation, DelayedProduce):
                return _high_watermark(node, partition, status.required_offset)
            return _low_watermark(node, key, status.required_offset)
    return None


def _high_watermark(node: Services, partition: Partition, need: int) -> Facts:
    behind = [each for each in progress(node, partition) if each.in_sync and each.end_offset < need]
    return {
        "kind": "high_watermark",
        "topic": partition.key.topic,
        "partition": partition.key.partition,
        "need": need,
        "had": partition.log.high_watermark,
        "behind": [each.node_id for each in behind],
        "behind_at": [each.end_offset for each in behind],
    }


def _low_watermark(node: Services, key: TopicPartition, need: int) -> Facts:
    had, _ = node.replicas.low_watermark(key)
    return {
        "kind": "low_watermark",
        "topic": key.topic,
        "partition": key.partition,
        "need": need,
        "had": had,
    }


class Progress(NamedTuple):
    """How far a leader knows a replica to be; None: it is the leader, or was never caught up."""

    node_id: int
    end_offset: int
    in_sync: bool
    caught_up_ms_ago: int | None


def progress(node: Services, partition: Partition) -> list[Progress]:
    """Each replica of a partition that *node* leads; nothing if it does not."""
    leader_state = partition.leader_state
    if leader_state is None:
        return []
    now_ms = node.clock.now_ms()
    found = []
    for node_id in leader_state.registration.replicas:
        in_sync = node_id in leader_state.isr.maximal
        replica = leader_state.replicas.get(node_id)
        if replica is None:
            found.append(Progress(node_id, partition.log.log_end_offset, in_sync, None))
        else:
            ago_ms = now_ms - replica.last_caught_up_time_ms
            ago = None if ago_ms == float("inf") else int(ago_ms)
            found.append(Progress(node_id, replica.log_end_offset, in_sync, ago))
    return found
