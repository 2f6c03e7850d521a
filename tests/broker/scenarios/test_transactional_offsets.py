"""Offsets of a group in transactions, over three nodes: TxnOffsetCommit to the markers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from broker.controller.partitions.partition_change import Election
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.broker.scenarios.three_nodes import NODES, ThreeNodes, pass_ms, settle, three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer, leader, markers

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
UNSTABLE = ErrorCode.UNSTABLE_OFFSET_COMMIT
OFFSETS = TopicPartition(GROUP_METADATA_TOPIC, 0)
_RETRIABLE = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)
_ATTEMPTS_MAX = 200
_RETRY_MS = 20


class Group:
    """A group without members, and a producer that commits its offsets."""

    def __init__(self, made: ThreeNodes) -> None:
        self.made = made
        self.producer = TransactionalProducer(made)

    async def start(self) -> None:
        """Create the topic of offsets, and begin a session of the producer."""
        request = FindCoordinatorRequest(key_type=0, coordinator_keys=["g"])
        await self.made.send(request)
        await settle()
        assert await self.producer.init() is NONE

    async def commit(
        self, offset: int, version: int = 5, *, generation: int = -1, epoch: int | None = None
    ) -> ErrorCode:
        """Commit an offset of t-0, and again after errors that clients retry."""
        partition = TxnOffsetCommitRequestPartition(
            partition_index=0, committed_offset=offset, committed_metadata=""
        )
        request = TxnOffsetCommitRequest(
            transactional_id=self.producer.transactional_id,
            group_id="g",
            producer_id=self.producer.producer_id,
            producer_epoch=self.producer.epoch if epoch is None else epoch,
            generation_id=generation,
            topics=[TxnOffsetCommitRequestTopic(name="t", partitions=[partition])],
        )
        error = ErrorCode.COORDINATOR_NOT_AVAILABLE
        for _ in range(_ATTEMPTS_MAX):
            response = await self._send(request, version, leader(self.made, OFFSETS))
            error = ErrorCode(response.topics[0].partitions[0].error_code)
            if error not in _RETRIABLE:
                break
            await pass_ms(_RETRY_MS)
        return error

    async def add_offsets(self) -> ErrorCode:
        """Add the group to the transaction, as clients of protocol 1 do."""
        request = AddOffsetsToTxnRequest(
            transactional_id=self.producer.transactional_id,
            producer_id=self.producer.producer_id,
            producer_epoch=self.producer.epoch,
            group_id="g",
        )
        error = ErrorCode.CONCURRENT_TRANSACTIONS
        for _ in range(_ATTEMPTS_MAX):
            response = await self._send(request, 3, self.producer.coordinator())
            error = ErrorCode(response.error_code)
            if error not in _RETRIABLE:
                break
            await pass_ms(_RETRY_MS)
        return error

    async def fetch(self, *, stable: bool) -> tuple[int, ErrorCode]:
        """The committed offset of t-0, and its error."""
        topic = OffsetFetchRequestTopics(name="t", partition_indexes=[0])
        request = OffsetFetchRequest(
            groups=[OffsetFetchRequestGroup(group_id="g", topics=[topic])], require_stable=stable
        )
        response = await self._send(request, 9, leader(self.made, OFFSETS))
        [group] = response.groups
        assert not group.error_code
        [result] = group.topics[0].partitions
        return result.committed_offset, ErrorCode(result.error_code)

    async def _send(self, request: Any, version: int, node_id: int) -> Any:
        """Send a request, and let time pass until its response arrives."""
        pending = await self.made.send(request, version, node_id)
        for _ in range(_ATTEMPTS_MAX):
            if pending.has_arrived:
                return pending.response
            await pass_ms(_RETRY_MS)
        raise AssertionError(f"node {node_id} has no response to {request}")

    async def end(self, *, commit: bool, version: int = 5) -> None:
        """End the transaction, and wait for its markers."""
        assert await self.producer.end(commit=commit, version=version) is NONE
        assert await self.producer.completed() == ("CompleteCommit" if commit else "CompleteAbort")
        await settle()


@asynccontextmanager
async def groups(tmp_path: Path) -> AsyncIterator[Group]:
    """Three nodes with a group."""
    async with three_nodes(
        tmp_path,
        1,
        3,
        None,
        transaction_state_log_num_partitions="3",
        offsets_topic_num_partitions="1",
        offsets_topic_replication_factor="3",
    ) as made:
        group = Group(made)
        await group.start()
        yield group


@pytest.mark.parametrize("commit", [True, False])
async def test_offsets_are_committed_with_the_transaction(tmp_path: Path, commit: bool) -> None:
    """They are unstable until the marker; an abort leaves those before."""
    async with groups(tmp_path) as group:
        assert await group.commit(1) is NONE
        assert await group.fetch(stable=True) == (-1, UNSTABLE)
        await group.end(commit=True)
        assert await group.fetch(stable=True) == (1, NONE)

        assert await group.commit(2) is NONE
        assert await group.fetch(stable=True) == (-1, UNSTABLE)
        assert await group.fetch(stable=False) == (1, NONE)
        await group.end(commit=commit)

        assert await group.fetch(stable=True) == (2 if commit else 1, NONE)
        await pass_ms(1000)
        kinds = ["commit", "commit" if commit else "abort"]
        assert [markers(group.made, node_id, OFFSETS) for node_id in NODES] == [kinds] * 3


@pytest.mark.parametrize(
    ("version", "error"),
    [(3, ErrorCode.INVALID_TXN_STATE), (4, ErrorCode.TRANSACTION_ABORTABLE)],
)
async def test_older_clients_add_the_group_first(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """The verification refuses a commit before that."""
    async with groups(tmp_path) as group:
        assert await group.commit(1, version) is error
        assert await group.fetch(stable=True) == (-1, NONE)

        assert await group.add_offsets() is NONE
        assert await group.commit(1, version) is NONE
        assert await group.fetch(stable=True) == (-1, UNSTABLE)
        await group.end(commit=True, version=4)

        assert await group.fetch(stable=True) == (1, NONE)


async def test_a_fenced_producer_cannot_commit(tmp_path: Path) -> None:
    """INVALID_PRODUCER_EPOCH, also in the transaction of the newer one."""
    async with groups(tmp_path) as group:
        old = group.producer.epoch
        await group.producer.init()
        assert await group.commit(1, epoch=old) is ErrorCode.INVALID_PRODUCER_EPOCH
        assert await group.commit(2) is NONE
        assert await group.commit(3, epoch=old) is ErrorCode.INVALID_PRODUCER_EPOCH
        await group.end(commit=True)

        assert await group.fetch(stable=True) == (2, NONE)


async def test_a_commit_that_the_group_refuses_leaves_the_transaction_open(tmp_path: Path) -> None:
    """The partition of the group has been added before; the marker ends nothing there."""
    async with groups(tmp_path) as group:
        assert await group.commit(1, generation=5) is ErrorCode.ILLEGAL_GENERATION
        assert await group.producer.state() == "Ongoing"
        await group.end(commit=True)

        assert await group.fetch(stable=True) == (-1, NONE)
        assert markers(group.made, leader(group.made, OFFSETS), OFFSETS) == ["commit"]


@pytest.mark.parametrize("commit", [True, False])
async def test_the_coordinator_of_the_group_moves_within_a_transaction(
    tmp_path: Path, commit: bool
) -> None:
    """The next one loads the pending offsets, and gets the marker."""
    async with groups(tmp_path) as group:
        await group.commit(1)
        await group.end(commit=True)
        await group.commit(2)
        await pass_ms(1000)
        await _move(group.made, next(n for n in NODES if n != leader(group.made, OFFSETS)))
        assert await group.fetch(stable=True) == (-1, UNSTABLE)

        await group.end(commit=commit)

        assert await group.fetch(stable=True) == (2 if commit else 1, NONE)


async def _move(made: ThreeNodes, node_id: int) -> None:
    """Make a node the coordinator of the group."""
    topic = made.controller.topic(OFFSETS.topic)
    assert topic is not None
    others = [n for n in topic.partitions[0].replicas if n != node_id]
    made.controller.reassign(OFFSETS, [node_id, *others])
    finish(made.controller.elect_leaders(Election.PREFERRED, [OFFSETS]))
    await settle()
    assert leader(made, OFFSETS) == node_id
