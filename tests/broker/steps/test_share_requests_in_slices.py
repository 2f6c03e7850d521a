"""Share requests of many partitions are handled in slices; slices are counted, not timed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from protocol.messages.share_acknowledge import (
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from tests.share_group import ShareGroupOnNode, share_group
from tests.share_member import ShareMember
from tests.share_session import acknowledgement
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio

PARTITIONS = 200
BATCHES = 400


@asynccontextmanager
async def member_of_many(
    folder: Path, partitions: int = PARTITIONS
) -> AsyncIterator[tuple[ShareGroupOnNode, ShareMember]]:
    """A group with many partitions, and a member with a session of all of them."""
    async with share_group(
        folder, partitions, share_coordinator_state_topic_num_partitions="1"
    ) as group:
        member = group.member("a")
        await member.fetch(*range(partitions))
        yield group, member


async def test_a_fetch_of_a_large_session_is_handled_in_slices(tmp_path: Path) -> None:
    """Its request names no partition."""
    async with member_of_many(tmp_path) as (group, member):
        await group.produce(3, partition=PARTITIONS - 1)
        before = short_slices(group.node.cluster.steps)

        assert await member.fetch() == f"p{PARTITIONS - 1}: 0-2#1"

        assert group.node.cluster.steps.slices_run - before >= PARTITIONS / 2


async def test_acknowledgements_of_many_partitions_are_handled_in_slices(tmp_path: Path) -> None:
    """Each partition is acknowledged completely, and has its result."""
    async with member_of_many(tmp_path) as (group, member):
        await group.produce(3, partition=7)
        assert await member.fetch() == "p7: 0-2#1"
        partitions = [
            AcknowledgePartition(
                partition_index=each, acknowledgement_batches=[acknowledgement("0-2 accept")]
            )
            for each in range(PARTITIONS)
        ]
        before = short_slices(group.node.cluster.steps)

        response = await member.client.send(_acknowledge(group, member, partitions))

        (topic,) = response.responses
        errors = {each.partition_index: each.error_code for each in topic.partitions}
        assert [index for index, error in errors.items() if not error] == [7]
        assert len(errors) == PARTITIONS
        assert group.node.cluster.steps.slices_run - before >= PARTITIONS / 2


async def test_acknowledgements_in_a_fetch_are_handled_in_slices(tmp_path: Path) -> None:
    """The fetch follows them, and acquires what they have released."""
    async with member_of_many(tmp_path) as (group, member):
        await group.produce(3, partition=7)
        assert await member.fetch() == "p7: 0-2#1"
        before = short_slices(group.node.cluster.steps)

        result = await member.fetch(
            *range(PARTITIONS), acknowledge=["0-2 release"], max_wait_ms=1000
        )

        assert "p7: 0-2#2" in result
        assert group.node.cluster.steps.slices_run - before >= PARTITIONS / 2


async def test_many_batches_of_a_partition_are_read_in_slices(tmp_path: Path) -> None:
    """They are applied in one slice, all or none of them."""
    async with member_of_many(tmp_path, 1) as (group, member):
        await group.produce(BATCHES)
        assert await member.fetch() == f"0-{BATCHES - 1}#1"
        batches = [acknowledgement(f"{each} accept") for each in range(BATCHES)]
        partition = AcknowledgePartition(partition_index=0, acknowledgement_batches=batches)
        before = short_slices(group.node.cluster.steps)

        response = await member.client.send(_acknowledge(group, member, [partition]))

        assert response.responses[0].partitions[0].error_code == 0
        assert group.node.cluster.steps.slices_run - before >= BATCHES / 10


def _acknowledge(
    group: ShareGroupOnNode, member: ShareMember, partitions: list[AcknowledgePartition]
) -> ShareAcknowledgeRequest:
    return ShareAcknowledgeRequest(
        group_id=member.group_id,
        member_id=member.member_id,
        share_session_epoch=member.epoch,
        topics=[AcknowledgeTopic(topic_id=group.topic_id, partitions=partitions)],
    )
