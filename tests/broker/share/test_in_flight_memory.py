"""Changes of in-flight records leave nothing behind, in virtual time.

One round acquires records three times: a fetch that waits for them, whose member releases them, one
whose locks end, and one whose member accepts them.
"""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import SHARE_GROUP_STATE_TOPIC
from broker.share.share_partition_key import SharePartitionKey
from tests.share_group import ShareGroupOnNode, share_group

pytestmark = pytest.mark.anyio

RECORDS = 500
# Each record is acquired three times, and released, expired and accepted.
CHANGES_PER_ROUND = 6 * RECORDS
CHANGES = 100_000
LOCK_MS = 1000
UPDATES_PER_SNAPSHOT = 10
PRUNE_MS = 5000
CONFIG: dict[str, Any] = {
    "group_share_min_record_lock_duration_ms": str(LOCK_MS),
    "group_share_record_lock_duration_ms": str(LOCK_MS),
    "share_coordinator_snapshot_update_records_per_snapshot": str(UPDATES_PER_SNAPSHOT),
    "share_coordinator_state_topic_prune_interval_ms": str(PRUNE_MS),
    "share_coordinator_state_topic_num_partitions": "1",
}
# The packages whose objects are counted.
COUNTED = ("broker.share", "broker.share_coordinator", "purgatories")


class Rounds:
    """Members that go through rounds; ``done`` is the number of rounds."""

    def __init__(self, group: ShareGroupOnNode) -> None:
        self.group = group
        self.done = 0
        self._members = [group.member(member_id) for member_id in "abc"]

    async def run(self, count: int) -> None:
        """Go through *count* rounds, and wait until state records have been pruned."""
        for _ in range(count):
            await self._run_one()
        await trio.sleep(1.1 * PRUNE_MS / 1000)

    async def _run_one(self) -> None:
        first = self.done * RECORDS
        last = first + RECORDS - 1
        releasing, forgetting, accepting = self._members
        releasing.client.start(releasing.request(0, max_wait_ms=60_000))
        await trio.sleep(0.001)
        await self.group.produce(RECORDS)
        response = await releasing.client.receive()
        assert response.responses[0].partitions[0].acquired_records[0].last_offset == last
        releasing.epoch += 1
        assert await releasing.acknowledge(f"{first}-{last} release") == 0
        assert await forgetting.fetch(0) == f"{first}-{last}#2"
        await trio.sleep(1.1 * LOCK_MS / 1000)
        expected = f"{first}-{last}#3"
        assert await accepting.fetch(0, max_records=RECORDS) == expected
        assert await accepting.acknowledge(f"{first}-{last} accept") == 0
        self.done += 1

    def sizes(self) -> dict[str, int]:
        """The sizes of everything that changes of in-flight records use."""
        node = self.group.node.node
        shares = node.share_groups
        key = SharePartitionKey("g", self.group.topic_id, 0)
        share_partition = shares.partitions.partitions.by_key[key]
        purgatory = node.replication.purgatories.share_fetch
        state = shares.coordinator.state(key)
        assert state is not None
        return {
            "in-flight batches": len(share_partition.records.window),
            "gaps": len(share_partition.records.gaps.ranges),
            "complete records": share_partition.records.complete_count,
            "locks": shares.lock_timer.size,
            "waiting fetches": purgatory.num_delayed(),
            "watched fetches": purgatory.watched(),
            "sessions": len(shares.partitions.sessions.sessions),
            "stored batches": len(state.batches),
        }

    def objects(self) -> Counter[str]:
        """The objects of each class of the packages in `COUNTED`."""
        gc.collect()
        names = (f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())
        return Counter(name for name in names if name.startswith(COUNTED))

    def stored_records(self) -> int:
        """The number of records of the share coordinator that were not pruned."""
        key = TopicPartition(SHARE_GROUP_STATE_TOPIC, 0)
        log = self.group.node.node.replication.partitions[key].log
        return log.log_end_offset - log.log_start_offset


async def test_changes_of_in_flight_records_leave_nothing_behind(tmp_path: Path) -> None:
    """After 100,000 of them everything has the size that it had after the first round."""
    async with share_group(tmp_path, **CONFIG) as group:
        rounds = Rounds(group)
        await rounds.run(2)
        sizes, objects = rounds.sizes(), rounds.objects()

        await rounds.run(CHANGES // CHANGES_PER_ROUND + 1)

        assert rounds.done * CHANGES_PER_ROUND > CHANGES
        assert rounds.sizes() == sizes
        grown = rounds.objects() - objects
        assert sum(grown.values()) <= UPDATES_PER_SNAPSHOT, grown
        assert rounds.stored_records() <= UPDATES_PER_SNAPSHOT + 1
