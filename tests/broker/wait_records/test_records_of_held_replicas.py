"""The records of requests that wait because of rules for links and partitions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio.testing

from antechamber.explain import explanation
from broker.wait_records.recorder import Recorder
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.batches import batch
from tests.broker.wait_records.records import kept_of
from tests.client import RunningCluster, running_cluster
from tests.parked import parked_on
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

PRODUCE = produce_request("t", batch(b"a"))
HOLD = {"match": {"topic": "t"}, "action": {"type": "hold_high_watermark", "at": 0}}


@asynccontextmanager
async def cluster_of_three(data_dir: Path) -> AsyncIterator[RunningCluster]:
    """Three nodes that record requests, and a topic on all of them led by node 1."""
    async with running_cluster(
        data_dir,
        3,
        recorder=Recorder,
        offsets_topic_num_partitions="1",
        transaction_state_log_num_partitions="1",
    ) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        yield cluster


async def send(cluster: RunningCluster, body: Any, version: int | None = None) -> dict[str, Any]:
    """Send a request that waits, and return it as it is parked."""
    return await send_to(cluster, 1, body, version)


async def send_to(
    cluster: RunningCluster, node: int, body: Any, version: int | None = None
) -> dict[str, Any]:
    """Send it to that node."""
    cluster.client(node).start(body, version)
    await trio.testing.wait_all_tasks_blocked()
    await trio.sleep(1)
    [parked] = [each for each in parked_on(cluster.node(node)) if not each["follower"]]
    return parked


async def end_rules(cluster: RunningCluster) -> None:
    """Remove all rules."""
    cluster.cluster.faults.clear()
    await trio.testing.wait_all_tasks_blocked()


async def test_a_produce_that_waits_for_a_cut_link_names_the_rule(tmp_path: Path) -> None:
    """While it waits, and in its record; a rule for another link is not named."""
    async with cluster_of_three(tmp_path) as cluster:
        cut = {"link": {"from": 3, "to": 1}, "name": "lost-follower", "action": {"type": "cut"}}
        cluster.cluster.faults.add(cut, {"link": {"from": 3, "to": 2}, "action": {"type": "cut"}})
        await trio.sleep(1)

        parked = await send(cluster, PRODUCE, PRODUCE_VERSION)
        await end_rules(cluster)
        record = kept_of(cluster, "Produce")[-1]

        faults = [{"rule": 1, "name": "lost-follower", "action": "cut"}]
        assert parked["waited_for"]["faults"] == record["waited_for"]["faults"] == faults
        assert explanation(parked)[1] == (
            "It waits because fault rule 1 (lost-follower) cuts a link."
        )
        assert explanation(record)[1] == (
            "It waited because fault rule 1 (lost-follower) cuts a link."
        )


async def test_a_produce_that_waits_for_a_held_high_watermark_names_the_rule(
    tmp_path: Path,
) -> None:
    """It completes when the rule ends."""
    async with cluster_of_three(tmp_path) as cluster:
        cluster.cluster.faults.add(HOLD)

        parked = await send(cluster, PRODUCE, PRODUCE_VERSION)
        await end_rules(cluster)
        ended, why, *_ = explanation(kept_of(cluster, "Produce")[-1])

        assert explanation(parked)[1] == "It waits because fault rule 1 holds the high watermark."
        assert ended.endswith(
            "and was completed when the high watermark of t-0 was no longer held."
        )
        assert why == "It waited because fault rule 1 holds the high watermark."


async def test_a_consumer_that_waits_for_a_held_high_watermark_names_the_rule(
    tmp_path: Path,
) -> None:
    """A consumer at the held offset; without records behind it, no rule is the reason."""
    async with cluster_of_three(tmp_path) as cluster:
        cluster.cluster.faults.add(HOLD)
        await cluster.client(1).send(produce_request("t", batch(b"a"), acks=1), PRODUCE_VERSION)

        parked = await send(cluster, fetch_request("t", 0, max_wait_ms=9000), FETCH_VERSION)

        assert parked["waited_for"]["faults"][0]["rule"] == 1
        assert explanation(parked)[1] == "It waits because fault rule 1 holds the high watermark."


async def coordinator(cluster: RunningCluster, key: str, key_type: int) -> int:
    """The node that coordinates a group (0) or a transactional id (1), once it has loaded it."""
    find = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
    while True:
        [found] = (await cluster.client(1).send(find)).coordinators
        if not found.error_code:
            await trio.sleep(1)
            return int(found.node_id)
        await trio.sleep(1)


def cut_to(node: int) -> dict[str, Any]:
    """A rule that loses what the node is sent."""
    return {"link": {"to": node}, "name": "lost", "action": {"type": "cut"}}


FAULTS = [{"rule": 1, "name": "lost", "action": "cut"}]
WHY = "It waits because fault rule 1 (lost) cuts a link."


async def test_a_commit_that_waits_for_a_cut_link_names_the_rule(tmp_path: Path) -> None:
    """The offsets are stored when the followers have them."""
    async with cluster_of_three(tmp_path) as cluster:
        node = await coordinator(cluster, "g", 0)
        cluster.cluster.faults.add(cut_to(node))
        await trio.sleep(1)
        offset = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=1, committed_metadata=None
        )
        topics = [OffsetCommitRequestTopic(name="t", partitions=[offset])]

        commit = OffsetCommitRequest(group_id="g", member_id="", topics=topics)
        parked = await send_to(cluster, node, commit, 8)
        await end_rules(cluster)

        assert (parked["waited_for"]["kind"], parked["waited_for"]["faults"]) == ("stored", FAULTS)
        assert explanation(parked)[1] == WHY
        assert kept_of(cluster, "OffsetCommit")[-1]["waited_for"]["faults"] == FAULTS


async def test_a_transactional_id_that_waits_for_a_cut_link_names_the_rule(tmp_path: Path) -> None:
    """Its record is replicated as the offsets of a group are."""
    async with cluster_of_three(tmp_path) as cluster:
        node = await coordinator(cluster, "billing", 1)
        cluster.cluster.faults.add(cut_to(node))
        await trio.sleep(1)

        begin = InitProducerIdRequest(transactional_id="billing", transaction_timeout_ms=60_000)
        parked = await send_to(cluster, node, begin, 4)

        assert parked["waited_for"]["kind"] == "transaction_state"
        assert parked["waited_for"]["faults"] == FAULTS
        assert explanation(parked)[1] == WHY


async def test_markers_that_wait_for_a_cut_link_name_the_rule(tmp_path: Path) -> None:
    """They complete when the followers have them."""
    async with cluster_of_three(tmp_path) as cluster:
        cluster.cluster.faults.add(cut_to(1))
        await trio.sleep(1)
        marker = WritableTxnMarker(
            producer_id=7,
            producer_epoch=0,
            transaction_result=True,
            topics=[WritableTxnMarkerTopic(name="t", partition_indexes=[0])],
            coordinator_epoch=0,
        )

        parked = await send(cluster, WriteTxnMarkersRequest(markers=[marker]), 1)

        assert (parked["waited_for"]["kind"], parked["waited_for"]["faults"]) == ("markers", FAULTS)
        assert explanation(parked)[1] == WHY
