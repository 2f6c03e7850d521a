"""Stories of requests, as their records tell them."""

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


def _fetch(offset: int, *, min_bytes: int, max_wait_ms: int, topic: str = "t") -> FetchRequest:
    asked = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        topics=[FetchTopic(topic=topic, partitions=[asked])],
    )


async def test_a_fetch_released_by_a_produce_names_it(tmp_path: Path) -> None:
    """What it had, what it waited for, who brought the rest."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        records = batch(b"a")
        producer, reader = cluster.client(1), cluster.client(1)
        await producer.send(produce_request("t", records), PRODUCE_VERSION, "billing")
        reader.start(_fetch(0, min_bytes=len(records) + 1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(2)
        await producer.send(produce_request("t", records), PRODUCE_VERSION, "billing")
        await reader.receive()

        [told] = kept_of(cluster, "Fetch")

        assert (told["purgatory"], told["timeout_ms"], told["checks"]) == ("Fetch", 9000, 3)
        assert told["waited_for"] == {
            "kind": "min_bytes",
            "need": len(records) + 1,
            "had": len(records),
        }
        assert told["parked_us"] == told["total_us"] == 2_000_000
        assert told["completed_by"] == {
            "cause": "append",
            "topic": "t",
            "partition": 0,
            "offset": 2,
            "request": {"api": "Produce", "client_id": "billing", "correlation_id": 2},
        }
        [partition] = told["partitions"]
        assert (partition["offset"], partition["records"]) == (0, 2)
        assert partition["bytes"] == 2 * len(records)


async def test_a_fetch_that_times_out_says_so(tmp_path: Path) -> None:
    """Nobody ended it."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")

        await cluster.client(1).send(_fetch(0, min_bytes=1, max_wait_ms=300), FETCH_VERSION)

        [told] = kept_of(cluster, "Fetch")
        assert told["completed_by"] == {"cause": "timeout"}
        assert told["parked_us"] >= 300_000


async def test_a_produce_released_by_a_follower_names_the_replica(tmp_path: Path) -> None:
    """The high watermark moved with that follower's fetch."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        cluster.cluster.pause(3)
        client.start(produce_request("t", batch(b"b", b"c")), PRODUCE_VERSION)
        await trio.sleep(1)
        cluster.cluster.resume(3)
        await client.receive()

        told = kept_of(cluster, "Produce")[-1]

        assert told["waited_for"]["kind"] == "high_watermark"
        assert (told["waited_for"]["need"], told["waited_for"]["behind"]) == (3, [2, 3])
        cause = told["completed_by"]
        assert (cause["cause"], cause["offset"], cause["replica"]) == ("high_watermark", 3, 3)
        assert cause["request"]["client_id"] == "node-3"


async def test_leaders_that_move_and_topics_that_go_are_causes(tmp_path: Path) -> None:
    """Both end waits that nothing else would have ended."""
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


async def test_a_client_that_leaves_is_a_cause(tmp_path: Path) -> None:
    """Its request is not answered, but it has a record."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        client.start(_fetch(0, min_bytes=1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(1)
        client.close()
        await trio.testing.wait_all_tasks_blocked()

        [told] = kept_of(cluster, "Fetch")

        assert told["completed_by"] == {"cause": "disconnect"}
        assert told["parked_us"] == 1_000_000


async def test_what_an_abandoned_produce_appended_is_told(tmp_path: Path) -> None:
    """Nobody was answered, but the records are in the log."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        cluster.cluster.pause(3)
        records, misled = batch(b"a", b"b"), batch(b"c")
        client = cluster.client(1)
        client.start(produce_request("t", records, misled), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        client.close()
        await trio.testing.wait_all_tasks_blocked()

        [told] = kept_of(cluster, "Produce")

        assert told["completed_by"] == {"cause": "disconnect"}
        facts = [(p["offset"], p["records"], p["bytes"], p["error"]) for p in told["partitions"]]
        missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert facts == [(0, 2, len(records), 0), (-1, 1, len(misled), missing)]


async def test_a_request_behind_a_parked_one_was_queued(tmp_path: Path) -> None:
    """Its time begins when it had been read, not when its turn came."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        client.start(_fetch(0, min_bytes=1, max_wait_ms=500), FETCH_VERSION)
        await trio.sleep(0.2)
        client.start(_fetch(0, min_bytes=0, max_wait_ms=0), FETCH_VERSION)
        await client.receive()
        await client.receive()

        behind = kept_of(cluster, "Fetch")[-1]

        assert 300_000 <= behind["queued_us"] <= 305_000
        assert behind["parked_us"] == 0


async def test_an_error_at_once_is_its_own_cause(tmp_path: Path) -> None:
    """No wait, and not the arrival alone."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        await cluster.client(1).send(produce_request("nope", batch(b"a")), PRODUCE_VERSION)

        [told] = kept_of(cluster, "Produce")

        assert told["completed_by"] == {"cause": "error"}
        assert told["partitions"][0]["error"] == 3


async def test_the_untold_topic_leaves_no_trace(tmp_path: Path) -> None:
    """Recording the records would never end."""
    async with running_cluster(
        tmp_path, 1, recorder=lambda clock: Recorder(clock, "waits")
    ) as cluster:
        cluster.controller.create_topic("waits")

        await cluster.client(1).send(produce_request("waits", batch(b"a")), PRODUCE_VERSION)

        assert kept_of(cluster, "Produce") == []


async def test_what_has_no_answer_when_the_broker_stops_says_so(tmp_path: Path) -> None:
    """The partitions it asked for are told, too."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        cluster.client(1).start(_fetch(0, min_bytes=1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(1)

        await cluster.cluster.stop(1)
        await trio.testing.wait_all_tasks_blocked()

        [told] = kept_of(cluster, "Fetch")
        assert told["completed_by"] == {"cause": "shutdown"}
        [partition] = told["partitions"]
        assert (partition["topic"], partition["offset"], partition["bytes"]) == ("t", 0, 0)


async def test_a_produce_that_times_out_tells_who_was_behind_in_the_end(tmp_path: Path) -> None:
    """Not who was when it began: every follower is, then."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        cluster.cluster.pause(3)
        await client.send(produce_request("t", batch(b"b"), timeout_ms=1000), PRODUCE_VERSION)

        told = kept_of(cluster, "Produce")[-1]

        assert told["completed_by"] == {"cause": "timeout"}
        assert told["waited_for"] == {
            "kind": "high_watermark",
            "topic": "t",
            "partition": 0,
            "need": 2,
            "had": 1,
            "behind": [3],
            "behind_at": [1],
            "behind_states": ["paused"],
        }
        assert told["partitions"][0]["error"] == 7


async def test_recording_into_a_replicated_topic_ends(tmp_path: Path) -> None:
    """Followers' fetches that carry records are not recorded in turn."""
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
    """What the two records of the story below have in common."""
    return {
        "schema": 1,
        "node": 1,
        "connection": client.connection.id,
        "client_id": client_id,
        "correlation_id": 1,
        "arrived_us": began_us,
        "queued_us": 0,
        "local_us": 0,
        "parked_us": 1_000_000,
        "send_us": 0,
        "total_us": 1_000_000,
        "completed_by": cause,
        "stalled_by": None,
        "error": 0,
    }


async def test_records_are_told_whole(tmp_path: Path) -> None:
    """Every field, of a produce that node 3 released and of the fetch which that released."""
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
    by = {**cause["request"], "api": "Fetch", "client_id": "node-3"}  # its number may be any
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
        "checks": 3,  # before and after it was watched, and the last
        "partitions": partitions,
    }
    assert fetched == _whole(reader, "reader", began_us, cause) | {
        "api": "Fetch",
        "version": FETCH_VERSION,
        "purgatory": "Fetch",
        "waited_for": {"kind": "min_bytes", "need": 1, "had": 0},
        "timeout_ms": 9000,
        "checks": 4,  # and when the log grew, too
        "partitions": partitions,
    }


async def test_no_data_of_a_client_is_kept(tmp_path: Path) -> None:
    """Neither of a batch nor of a member of a group, in memory or on the way out."""
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
            noted = [getattr(record, name) for name in WaitRecord.__slots__]
            assert not [each for each in noted if isinstance(each, bytes | bytearray | memoryview)]
        assert {"Produce", "Fetch", "SyncGroup"} <= {r.to_dict()["api"] for r in recorder.recent}


async def test_only_the_latest_are_kept(tmp_path: Path) -> None:
    """As many as the limit says, whatever was recorded in all."""
    recorder = Recorder(TrioClock())

    recorder.sent([wait_record(number) for number in range(RECENT_MAX + 5)])

    told = recorder.statistics()
    assert (RECENT_MAX, told["recorded"], told["kept"]) == (10_000, 10_005, 10_000)
    assert recorder.recent[0].header.correlation_id == 5


async def test_a_sink_that_hangs_holds_no_request_back(tmp_path: Path) -> None:
    """What finds no room is dropped, and counted; requests are answered as ever."""
    sink = KeepingSink()
    sink.may_write = trio.Event()
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        recorder = cluster.cluster.recorder
        assert recorder is not None
        recorder.outbox = outbox = Outbox(cluster.cluster.timer, [sink], room=3)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outbox.run)
            client = cluster.client(1)
            for number in range(10):
                await client.send(produce_request("nope", batch(b"a")), PRODUCE_VERSION)
                await trio.sleep(1 if number == 1 else 0)

            assert outbox.statistics() == {"pending": 3, "dropped": 5, "sinks": [{"written": 0}]}
            nursery.cancel_scope.cancel()


async def test_what_is_recorded_is_counted(tmp_path: Path) -> None:
    """And goes to the outbox, if there is one."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        recorder = cluster.cluster.recorder
        assert recorder is not None
        recorder.outbox = outbox = Outbox(cluster.cluster.timer, [])
        await cluster.client(1).send(produce_request("nope", batch(b"a")), PRODUCE_VERSION)

        assert recorder.statistics() == {"recorded": 1, "kept": 1, "outbox": outbox.statistics()}
        assert outbox.statistics()["pending"] == 1
