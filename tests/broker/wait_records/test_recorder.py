"""The records of requests that wait, are refused or are abandoned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.common.clock import TrioClock
from broker.common.topic_partition import TopicPartition
from broker.wait_records.json_line import json_line
from broker.wait_records.limits import RECENT_MAX
from broker.wait_records.outbox import Outbox
from broker.wait_records.record import WaitRecord
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.batches import batch
from tests.broker.wait_records.group_members import first_member
from tests.broker.wait_records.records import KeepingSink, kept_of, wait_record
from tests.client import Client, running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

FETCH_VERSION = 12
ANONYMOUS = {"principal": "User:ANONYMOUS", "listener": "PLAINTEXT"}


def _fetch(offset: int, *, min_bytes: int, max_wait_ms: int, topic: str = "t") -> FetchRequest:
    """A fetch of one partition."""
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        topics=[FetchTopic(topic=topic, partitions=[wanted])],
    )


async def test_a_fetch_completed_by_a_produce_names_the_produce(tmp_path: Path) -> None:
    """The record has the bytes needed and available, and the request that appended the rest."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        records = batch(b"a")
        producer, reader = cluster.client(1), cluster.client(1)
        await producer.send(produce_request("t", records), PRODUCE_VERSION, "billing")
        reader.start(_fetch(0, min_bytes=len(records) + 1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(2)
        await producer.send(produce_request("t", records), PRODUCE_VERSION, "billing")
        await reader.receive()

        [record] = kept_of(cluster, "Fetch")

        assert (record["purgatory"], record["timeout_ms"], record["checks"]) == ("Fetch", 9000, 3)
        assert record["waited_for"] == {
            "kind": "min_bytes",
            "need": len(records) + 1,
            "had": len(records),
        }
        assert record["parked_us"] == record["total_us"] == 2_000_000
        assert record["completed_by"] == {
            "cause": "append",
            "topic": "t",
            "partition": 0,
            "offset": 2,
            "request": {"api": "Produce", "client_id": "billing", "correlation_id": 2},
        }
        [partition] = record["partitions"]
        assert (partition["offset"], partition["records"]) == (0, 2)
        assert partition["bytes"] == 2 * len(records)


async def test_a_fetch_that_times_out_has_the_cause_timeout(tmp_path: Path) -> None:
    """Without a request, since no request completed it."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")

        await cluster.client(1).send(_fetch(0, min_bytes=1, max_wait_ms=300), FETCH_VERSION)

        [record] = kept_of(cluster, "Fetch")
        assert record["completed_by"] == {"cause": "timeout"}
        assert record["parked_us"] >= 300_000


async def test_a_produce_completed_by_a_follower_names_the_replica(tmp_path: Path) -> None:
    """The fetch of that follower moved the high watermark."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        cluster.cluster.pause(3)
        client.start(produce_request("t", batch(b"b", b"c")), PRODUCE_VERSION)
        await trio.sleep(1)
        cluster.cluster.resume(3)
        await client.receive()

        record = kept_of(cluster, "Produce")[-1]

        assert record["waited_for"]["kind"] == "high_watermark"
        assert (record["waited_for"]["need"], record["waited_for"]["behind"]) == (3, [2, 3])
        cause = record["completed_by"]
        assert (cause["cause"], cause["offset"], cause["replica"]) == ("high_watermark", 3, 3)
        assert cause["request"]["client_id"] == "node-3"


async def test_a_leadership_change_and_a_deletion_are_causes(tmp_path: Path) -> None:
    """Each completes a fetch that has no other reason to complete."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        for topic in ("t", "u"):
            cluster.controller.create_topic(topic, assignments=[(1, 2, 3)])
        mover, deleter = cluster.client(1), cluster.client(1)
        mover.start(_fetch(0, min_bytes=1, max_wait_ms=9000), 10, "mover")
        deleter.start(_fetch(0, min_bytes=1, max_wait_ms=9000, topic="u"), FETCH_VERSION, "deleter")
        await trio.testing.wait_all_tasks_blocked()

        cluster.controller.reassign(TopicPartition("t", 0), (2, 3))
        cluster.controller.delete_topic("u")
        await deleter.receive()
        await mover.receive()

        [moved] = kept_of(cluster, "Fetch", "mover")
        [deleted] = kept_of(cluster, "Fetch", "deleter")
        assert moved["completed_by"]["cause"] == "leadership"
        assert deleted["completed_by"]["cause"] == "deleted"


async def test_a_disconnect_is_a_cause(tmp_path: Path) -> None:
    """The request gets no response, but has a record."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        client.start(_fetch(0, min_bytes=1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(1)
        client.close()
        await trio.testing.wait_all_tasks_blocked()

        [record] = kept_of(cluster, "Fetch")

        assert record["completed_by"] == {"cause": "disconnect"}
        assert record["parked_us"] == 1_000_000


async def test_an_abandoned_produce_is_recorded_with_what_it_appended(tmp_path: Path) -> None:
    """The records are in the log although the client has disconnected."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        cluster.cluster.pause(3)
        records, refused = batch(b"a", b"b"), batch(b"c")
        client = cluster.client(1)
        client.start(produce_request("t", records, refused), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        client.close()
        await trio.testing.wait_all_tasks_blocked()

        [record] = kept_of(cluster, "Produce")

        assert record["completed_by"] == {"cause": "disconnect"}
        facts = [(p["offset"], p["records"], p["bytes"], p["error"]) for p in record["partitions"]]
        missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert facts == [(0, 2, len(records), 0), (-1, 1, len(refused), missing)]


async def test_a_request_after_a_parked_one_was_queued(tmp_path: Path) -> None:
    """Its record begins when it was read, not when it was handled."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        client.start(_fetch(0, min_bytes=1, max_wait_ms=500), FETCH_VERSION)
        await trio.sleep(0.2)
        client.start(_fetch(0, min_bytes=0, max_wait_ms=0), FETCH_VERSION)
        await client.receive()
        await client.receive()

        queued = kept_of(cluster, "Fetch")[-1]

        assert 300_000 <= queued["queued_us"] <= 305_000
        assert queued["parked_us"] == 0


async def test_a_refused_request_has_the_cause_error(tmp_path: Path) -> None:
    """It did not wait, and a partition has an error."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        await cluster.client(1).send(produce_request("nope", batch(b"a")), PRODUCE_VERSION)

        [record] = kept_of(cluster, "Produce")

        assert record["completed_by"] == {"cause": "error"}
        assert record["partitions"][0]["error"] == 3


async def test_requests_for_the_excluded_topic_are_not_recorded(tmp_path: Path) -> None:
    """A record of a produce of records would cause another such produce, without end."""
    async with running_cluster(
        tmp_path, 1, recorder=lambda clock: Recorder(clock, "waits")
    ) as cluster:
        cluster.controller.create_topic("waits")

        await cluster.client(1).send(produce_request("waits", batch(b"a")), PRODUCE_VERSION)

        assert kept_of(cluster, "Produce") == []


async def test_a_request_in_progress_when_its_node_stops_has_a_record(
    tmp_path: Path,
) -> None:
    """With the cause shutdown, and with the partitions that it fetches."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        cluster.client(1).start(_fetch(0, min_bytes=1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(1)

        await cluster.cluster.stop(1)
        await trio.testing.wait_all_tasks_blocked()

        [record] = kept_of(cluster, "Fetch")
        assert record["completed_by"] == {"cause": "shutdown"}
        [partition] = record["partitions"]
        assert (partition["topic"], partition["offset"], partition["bytes"]) == ("t", 0, 0)


async def test_a_produce_that_times_out_names_the_replicas_behind_then(
    tmp_path: Path,
) -> None:
    """At the begin of the wait every follower is behind."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        cluster.cluster.pause(3)
        await client.send(produce_request("t", batch(b"b"), timeout_ms=1000), PRODUCE_VERSION)

        record = kept_of(cluster, "Produce")[-1]

        assert record["completed_by"] == {"cause": "timeout"}
        assert record["waited_for"] == {
            "kind": "high_watermark",
            "topic": "t",
            "partition": 0,
            "need": 2,
            "had": 1,
            "behind": [3],
            "behind_at": [1],
            "behind_states": ["paused"],
        }
        assert record["partitions"][0]["error"] == 7


async def test_replication_of_the_excluded_topic_is_not_recorded(tmp_path: Path) -> None:
    """A follower's fetch that contains records of other topics is recorded without it."""
    async with running_cluster(
        tmp_path, 3, recorder=lambda clock: Recorder(clock, "waits")
    ) as cluster:
        cluster.controller.create_topic("waits", assignments=[(1, 2, 3)])
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await trio.sleep(1)
        recorder = cluster.cluster.recorder
        assert recorder is not None
        recorder.recent.clear()

        await client.send(produce_request("waits", batch(b"a")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        assert list(recorder.recent) == []
        await client.send(produce_request("t", batch(b"b")), PRODUCE_VERSION)
        topics = {each.topic for record in recorder.recent for each in record.partitions}
        assert topics == {"t"}


def _whole(client: Client, client_id: str, began_us: int, cause: dict[str, Any]) -> dict[str, Any]:
    """The fields that the two records of the next test have in common."""
    return {
        "schema": 1,
        "node": 1,
        "connection": client.connection.id,
        "client_id": client_id,
        **ANONYMOUS,
        "correlation_id": 1,
        "arrived_us": began_us,
        "queued_us": 0,
        "local_us": 0,
        "parked_us": 1_000_000,
        "send_us": 0,
        "total_us": 1_000_000,
        "completed_by": cause,
        "earlier_waits": [],
        **dict.fromkeys(("stalled_by", "throttle", "muted_by", "fault")),
        "error": 0,
    }


async def test_a_record_has_all_fields(tmp_path: Path) -> None:
    """Of a produce that a fetch of node 3 completes, and of a fetch that the produce completes."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        await trio.testing.wait_all_tasks_blocked()
        began_us = cluster.cluster.clock.wall_us_at(cluster.cluster.clock.now_ms())
        cluster.cluster.pause(3)
        reader, producer = cluster.client(1), cluster.client(1)
        reader.start(_fetch(0, min_bytes=1, max_wait_ms=9000), FETCH_VERSION, "reader")
        await trio.testing.wait_all_tasks_blocked()
        producer.start(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION, "billing")
        await trio.sleep(1)
        cluster.cluster.resume(3)
        await producer.receive()
        await reader.receive()

        [produced] = kept_of(cluster, "Produce", "billing")
        [fetched] = kept_of(cluster, "Fetch", "reader")

    cause = produced["completed_by"]
    by = {**cause["request"], "api": "Fetch", "client_id": "node-3"}  # its correlation id varies
    log = {"topic": "t", "partition": 0}
    assert cause == {"cause": "high_watermark", **log, "offset": 2, "replica": 3, "request": by}
    part = {**log, "offset": 0, "records": 2, "bytes": len(batch(b"a", b"b")), "error": 0}
    partitions = [{**part, "high_watermark": 2, "log_end_offset": 2}]
    behind = {"behind": [2, 3], "behind_at": [0, 0], "behind_states": ["running", "paused"]}
    assert produced == _whole(producer, "billing", began_us, cause) | {
        "api": "Produce",
        "version": PRODUCE_VERSION,
        "purgatory": "Produce",
        "waited_for": {"kind": "high_watermark", **log, "need": 2, "had": 0, **behind},
        "timeout_ms": 30_000,
        "checks": 3,  # before and after it was watched, and the completion
        "partitions": partitions,
    }
    assert fetched == _whole(reader, "reader", began_us, cause) | {
        "api": "Fetch",
        "version": FETCH_VERSION,
        "purgatory": "Fetch",
        "waited_for": {"kind": "min_bytes", "need": 1, "had": 0},
        "timeout_ms": 9000,
        "checks": 4,  # and after the append
        "partitions": partitions,
    }


async def test_no_data_of_a_client_is_kept(tmp_path: Path) -> None:
    """Neither of a batch nor of a group's member, in memory or in the line of JSON."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"confidential")), PRODUCE_VERSION)
        await client.send(_fetch(0, min_bytes=1, max_wait_ms=0), FETCH_VERSION)
        await first_member(cluster)
        recorder = cluster.cluster.recorder
        assert recorder is not None

        for record in recorder.recent:
            assert b"confidential" not in json_line(record)
            values = [getattr(record, name) for name in WaitRecord.__slots__]
            assert not [each for each in values if isinstance(each, bytes | bytearray | memoryview)]
        assert {"Produce", "Fetch", "SyncGroup"} <= {r.to_dict()["api"] for r in recorder.recent}


async def test_only_the_latest_records_are_kept() -> None:
    """The oldest records are dropped from memory; the count includes them."""
    recorder = Recorder(TrioClock())

    for number in range(RECENT_MAX + 5):
        recorder.sent(wait_record(number))

    record = recorder.statistics()
    assert (RECENT_MAX, record["recorded"], record["kept"]) == (10_000, 10_005, 10_000)
    assert recorder.recent[0].header.correlation_id == 5


async def test_a_sink_that_hangs_delays_no_request(tmp_path: Path) -> None:
    """Records that exceed the limit of the outbox are dropped and counted."""
    sink = KeepingSink()
    sink.may_write = trio.Event()
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        recorder = cluster.cluster.recorder
        assert recorder is not None
        recorder.outbox = outbox = Outbox(cluster.cluster.timer, [sink], records_max=3)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outbox.run)
            client = cluster.client(1)
            for number in range(10):
                await client.send(produce_request("nope", batch(b"a")), PRODUCE_VERSION)
                await trio.sleep(1 if number == 1 else 0)

            assert outbox.statistics() == {"pending": 3, "dropped": 5, "sinks": [{"written": 0}]}
            nursery.cancel_scope.cancel()


async def test_records_are_counted(tmp_path: Path) -> None:
    """In memory and in the outbox."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        recorder = cluster.cluster.recorder
        assert recorder is not None
        recorder.outbox = outbox = Outbox(cluster.cluster.timer, [])
        await cluster.client(1).send(produce_request("nope", batch(b"a")), PRODUCE_VERSION)

        assert recorder.statistics() == {"recorded": 1, "kept": 1, "outbox": outbox.statistics()}
        assert outbox.statistics()["pending"] == 1
