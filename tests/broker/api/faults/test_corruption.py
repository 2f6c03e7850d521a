"""A fault rule gives a batch of a Fetch response a wrong CRC."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.broker.api.faults.faulted_node import faulted_node, settle

pytestmark = pytest.mark.anyio

CORRUPT = {"type": "corrupt"}


def differences(one: bytes, other: bytes) -> list[int]:
    """The positions at which two texts of the same length differ."""
    assert len(one) == len(other)
    return [at for at in range(len(one)) if one[at] != other[at]]


@pytest.mark.parametrize("size", [10, 50_000, 300_000])
async def test_the_first_batch_has_a_wrong_crc(tmp_path: Path, size: int) -> None:
    """The log is not changed; records that are read from file in pieces are corrupt as well."""
    async with faulted_node(tmp_path) as node:
        for _ in range(2):
            await node.produce(b"a" * size)
        limits = {"max_bytes": 1 << 21, "partition_max_bytes": 1 << 21}
        good = await node.fetch(**limits)
        node.add(CORRUPT, match={"api": "Fetch"})

        assert differences(good, await node.fetch(**limits)) == [17]
        assert await node.fetch(**limits) == good


async def test_only_responses_with_records_match(tmp_path: Path) -> None:
    """The first fetch has none."""
    async with faulted_node(tmp_path) as node:
        rule = node.add(CORRUPT, match={"topic": "orders", "partition": 0})

        assert await node.fetch() == b""
        assert (rule.matched, rule.fired) == (0, 0)
        await node.produce()
        assert await node.fetch()
        assert (rule.matched, rule.fired) == (1, 1)
        await settle()
        assert node.record()["fault"] == {"rule": 1, "name": None, "action": "corrupt"}


async def test_other_topics_are_not_corrupt(tmp_path: Path) -> None:
    """The rule names another partition."""
    async with faulted_node(tmp_path) as node:
        await node.produce()
        good = await node.fetch()
        node.add(CORRUPT, match={"topic": "payments"})

        assert await node.fetch() == good


async def test_a_fetch_session_has_its_partitions(tmp_path: Path) -> None:
    """Its requests do not name them."""
    async with faulted_node(tmp_path) as node:
        partitions = [FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)]
        first = FetchRequest(
            max_wait_ms=0,
            min_bytes=0,
            session_epoch=0,
            topics=[FetchTopic(topic="orders", partitions=partitions)],
        )
        session_id = (await node.client.send(first, 12)).session_id
        rule = node.add(
            {"type": "error", "error": "NOT_LEADER_OR_FOLLOWER"}, match={"topic": "orders"}
        )

        following = FetchRequest(
            max_wait_ms=0, min_bytes=0, session_id=session_id, session_epoch=1, topics=[]
        )
        await node.client.send(following, 12)

        assert rule.fired == 1
