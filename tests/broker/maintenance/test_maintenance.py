"""Work on partitions that a user starts: its effect on the logs of all replicas."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.errors import ApiError, NoSuchPartition, WrongState
from broker.maintenance.maintenance import Maintenance
from broker.storage.cleaner.compaction import Compaction, Step
from protocol.errors import ErrorCode
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.batches import batch
from tests.client import RunningCluster, running_cluster
from tests.held_offload import HeldOffload
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

COMPACT = {"cleanup.policy": "compact"}


async def produce(cluster: RunningCluster, *records: bytes, node: int = 1) -> None:
    """Append a batch for each of *records* to t-0, on all replicas."""
    client = cluster.client(node)
    for each in records:
        response = await client.send(produce_request("t", each), PRODUCE_VERSION)
        assert response.responses[0].partition_responses[0].error_code == 0
    await trio.testing.wait_all_tasks_blocked()


def keyed(key: bytes) -> bytes:
    """A batch of one record with that key."""
    return build_batch([Record(key, b"value", timestamp=1)])


async def test_a_segment_begins_on_all_replicas(tmp_path: Path) -> None:
    """Not where the active one is empty."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        await produce(cluster, batch(b"a"))
        work = Maintenance(cluster.cluster)

        [first] = (await work.roll("t", 0))["partitions"]
        [second] = (await work.roll("t", None))["partitions"]

        counts = [(each["segments_before"], each["segments"]) for each in first["replicas"]]
        assert counts == [(1, 2), (1, 2)]
        assert [each["segments"] for each in second["replicas"]] == [2, 2]
        await produce(cluster, batch(b"b"))


async def test_old_segments_are_deleted(tmp_path: Path) -> None:
    """Those whose records are older than retention.ms; the log start offset moves."""
    async with running_cluster(tmp_path, 1) as cluster:
        configs = {"retention.ms": "1000"}
        cluster.controller.create_topic("t", assignments=[(1,)], configs=configs)
        await produce(cluster, batch(b"a", timestamp=1), batch(b"b", timestamp=1))
        work = Maintenance(cluster.cluster)
        await work.roll("t", 0)

        [facts] = (await work.expire("t", 0))["partitions"]

        [replica] = facts["replicas"]
        assert (replica["segments_before"], replica["segments"]) == (2, 1)
        assert replica["log_start_offset"] == replica["log_end_offset"] == 2


async def test_superseded_records_are_removed(tmp_path: Path) -> None:
    """Also those of the active segment, although no log is dirty enough to be due."""
    async with running_cluster(tmp_path, 2, log_cleaner_min_cleanable_ratio="1.0") as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)], configs=COMPACT)
        await produce(cluster, *[keyed(b"k")] * 5, keyed(b"other"))
        await trio.sleep(1)  # the follower gets the high watermark with its next fetch

        [facts] = (await Maintenance(cluster.cluster).compact("t", 0))["partitions"]

        for each in facts["replicas"]:
            assert each["bytes"] < each["bytes_before"]
            assert each["log_end_offset"] == 6


async def test_a_topic_that_is_not_compacted_is_refused(tmp_path: Path) -> None:
    """The sentence names the config; nothing is rolled."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])
        await produce(cluster, batch(b"a"))

        with pytest.raises(WrongState, match=r"t-0 is not compacted: set cleanup.policy=compact"):
            await Maintenance(cluster.cluster).compact("t", 0)

        assert len(next(iter(cluster.node(1).logs)).segments) == 1


async def test_a_compaction_that_fails_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is in the log of the broker."""

    def fail(_number: int) -> Step:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE)

    monkeypatch.setattr(Compaction, "steps", lambda _: map(fail, range(1)))
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)], configs=COMPACT)
        await produce(cluster, keyed(b"k"), keyed(b"k"))

        with pytest.raises(WrongState, match="the compaction of t-0 on node 1 has failed"):
            await Maintenance(cluster.cluster).compact("t", 0)


async def test_a_compaction_ends_with_its_node(tmp_path: Path) -> None:
    """The work is refused then; without a result it does not wait."""
    offload = HeldOffload()
    async with running_cluster(tmp_path, 2, offload=offload) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)], configs=COMPACT)
        await produce(cluster, keyed(b"k"), keyed(b"k"))
        raised: list[WrongState] = []

        async def compact() -> None:
            with pytest.raises(WrongState, match="node 1 has stopped") as found:
                await Maintenance(cluster.cluster).compact("t", 0)
            raised.append(found.value)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(compact)
            await trio.testing.wait_all_tasks_blocked()
            await cluster.cluster.stop(1)
        assert raised


async def test_a_leader_is_elected(tmp_path: Path) -> None:
    """The one that is named, and then the preferred one; all nodes know it."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        work = Maintenance(cluster.cluster)

        [named] = (await work.elect("t", 0, 2))["partitions"]
        leaders = [cluster.node(node).image.topics["t"].partitions[0].leader for node in (1, 2)]
        [preferred] = (await work.elect("t", None, None))["partitions"]
        [again] = (await work.elect("t", None, None))["partitions"]

        assert (named["leader"], leaders) == (2, [2, 2])
        assert preferred["leader"] == again["leader"] == 1
        assert preferred["leader_epoch"] == again["leader_epoch"] == named["leader_epoch"] + 1


async def test_a_replica_that_is_not_in_sync_is_not_elected(tmp_path: Path) -> None:
    """The sentence names the replicas in sync."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])

        with pytest.raises(WrongState, match="t-0 has no election: node 2 is not a"):
            await Maintenance(cluster.cluster).elect("t", 0, 2)


@pytest.mark.parametrize(
    ("topic", "partition", "message"),
    [("u", None, "there is no topic 'u'"), ("t", 1, "there is no t-1; t has 1 partition")],
)
async def test_an_unknown_partition_is_refused(
    tmp_path: Path, topic: str, partition: int | None, message: str
) -> None:
    """The sentence says what there is."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])

        with pytest.raises(NoSuchPartition, match=message):
            await Maintenance(cluster.cluster).roll(topic, partition)
