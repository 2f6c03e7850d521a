"""Lines of Kafka's request log, as records and as tables."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.pipeline.frames import lines, plain
from integration.pipeline.request_logs import PARKED_FETCH, WRITTEN_US, line, logging_options
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, metadata, produce
from integration.wire.topics import make_topic
from pipeline.batch import rows_of
from pipeline.computation.cells import cells
from pipeline.computation.clients import clients
from pipeline.computation.schema import parsed
from pipeline.computation.tables import malformed, records_of, top_waits, waits
from pipeline.request_log.topic_names import described, names_of, with_names
from pipeline.sources import FileSource

pytestmark = pytest.mark.jvm

TOPIC_ID = "xZbJLmgIQFSLoZOezs6pLA"
METADATA = line("METADATA", {}, {"topics": [{"name": "orders", "topicId": TOPIC_ID}]})
READ_PARTITION = {"partitionIndex": 0, "errorCode": 0, "highWatermark": 9, "recordsSizeInBytes": 64}
FETCH = {"partitions": [{"partition": 0, "fetchOffset": 5}]}
LONGEST = ("purgatory", "parked_us", "api", "node", "connection", "correlation_id", "cause")
PLACE = {"topic": "orders", "partition": 0, "offset": 5, "bytes": 64, "error": 0}


def read(spark: SparkSession, *texts: str, zone: str = "UTC") -> list[dict[str, Any]]:
    """The records, and rows that are none, in the order of their texts."""
    return [row.asDict(recursive=True) for row in parsed(lines(spark, texts), zone).collect()]


def test_a_parked_fetch(spark: SparkSession) -> None:
    """Remote time is parked time, the times of sending are added, and the arrival is computed."""
    response = {"errorCode": 0, "responses": [{"topic": "orders", "partitions": [READ_PARTITION]}]}
    text = line("FETCH", {**PARKED_FETCH, "topics": [{"topic": "orders", **FETCH}]}, response)
    [record] = read(spark, text)

    assert record["defect"] is None
    assert (record["api"], record["version"], record["correlation_id"]) == ("Fetch", 12, 7)
    assert (record["client_id"], record["connection"]) == ("billing", 51000)
    assert (record["principal"], record["listener"]) == ("User:alice", "SASL_SSL")
    phases = [record[f"{name}_us"] for name in ("queued", "local", "parked", "send", "total")]
    assert phases == [250, 1500, 10_000, 1000, 12_750]
    assert record["arrived_us"] == WRITTEN_US - 12_750
    assert (record["purgatory"], record["timeout_ms"]) == ("Fetch", 500)
    assert (record["waited_for"]["kind"], record["waited_for"]["need"]) == ("min_bytes", 1)
    [partition] = record["partitions"]
    assert partition.items() >= {**PLACE, "high_watermark": 9}.items()


def test_a_parked_produce(spark: SparkSession) -> None:
    """Sizes are those of the request, offsets and errors those of the response."""
    request = {
        "acks": -1,
        "timeoutMs": 30_000,
        "topicData": [
            {"name": "orders", "partitionData": [{"index": 0, "recordsSizeInBytes": 64}]}
        ],
    }
    response = {
        "responses": [
            {
                "name": "orders",
                "partitionResponses": [{"index": 0, "errorCode": 0, "baseOffset": 5}],
            }
        ]
    }
    [record] = read(spark, line("PRODUCE", request, response))

    assert (record["purgatory"], record["timeout_ms"]) == ("Produce", 30_000)
    assert record["waited_for"]["kind"] == "high_watermark"
    assert (record["waited_for"]["topic"], record["waited_for"]["partition"]) == ("orders", 0)
    assert record["completed_by"]["cause"] == "high_watermark"
    [partition] = record["partitions"]
    assert partition.items() >= PLACE.items()


def test_a_produce_without_a_response(spark: SparkSession) -> None:
    """With acks=0 the partitions are those of the request."""
    data = [{"name": "orders", "partitionData": [{"index": 0, "recordsSizeInBytes": 64}]}]
    text = line("PRODUCE", {"acks": 0, "topicData": data}, "", remoteTimeMs=0.0)
    [record] = read(spark, text)

    assert (record["purgatory"], record["completed_by"]["cause"]) == (None, "arrival")
    [partition] = record["partitions"]
    assert partition.items() >= {"topic": "orders", "partition": 0, "bytes": 64}.items()


@pytest.mark.parametrize(
    ("remote_ms", "size", "cause"),
    [(501.0, 0, "timeout"), (498.0, 0, "timeout"), (501.0, 64, None), (497.0, 0, None)],
)
def test_a_timeout_of_a_fetch(
    spark: SparkSession, remote_ms: float, size: int, cause: str | None
) -> None:
    """It took `maxWaitMs` with its local time of 1.5 ms, and has fewer than `minBytes`.

    Kafka's wait may end up to a millisecond earlier. Other causes are unknown.
    """
    place = {**READ_PARTITION, "recordsSizeInBytes": size}
    response = {"errorCode": 0, "responses": [{"topic": "orders", "partitions": [place]}]}
    [record] = read(spark, line("FETCH", PARKED_FETCH, response, remoteTimeMs=remote_ms))

    assert record["completed_by"]["cause"] == cause


def test_the_fetch_response_of_kafka_2_8(spark: SparkSession) -> None:
    """Its partitions have other names."""
    place = {"partition": 0, "errorCode": 0, "highWatermark": 9, "recordSetSizeInBytes": 64}
    response = {"errorCode": 0, "responses": [{"topic": "orders", "partitionResponses": [place]}]}
    request = {**PARKED_FETCH, "topics": [{"topic": "orders", **FETCH}]}
    [record] = read(spark, line("FETCH", request, response))

    [partition] = record["partitions"]
    assert partition.items() >= {**PLACE, "high_watermark": 9}.items()


def test_times_without_units(spark: SparkSession) -> None:
    """The first form of the log named the API in `requestApiKey`, and times without `Ms`."""
    times = {"requestQueueTime": 0.25, "localTime": 1.5, "remoteTime": 10.0, "throttleTime": 5}
    old = json.loads(line("FETCH", PARKED_FETCH, {}).split("request:")[1].split(" (kafka")[0])
    old = {name: value for name, value in old.items() if not name.endswith("Ms")} | times
    old |= {"responseQueueTime": 0.4, "sendTime": 0.6}
    old["requestHeader"] = {"requestApiKey": "END_TXN", "correlationId": 7}
    [record] = read(spark, f"[2026-11-21 09:00:00,338] DEBUG Completed request:{json.dumps(old)}")

    assert (record["api"], record["total_us"]) == ("EndTxn", 12_750)
    assert record["throttle"]["ms"] == 5


def test_an_incremental_fetch(spark: SparkSession) -> None:
    """Partitions of the request that are not in the response are added."""
    request = {**PARKED_FETCH, "topics": [{"topic": "orders", **FETCH}]}
    [record] = read(spark, line("FETCH", request, {"errorCode": 0, "responses": []}))

    [partition] = record["partitions"]
    assert partition.items() >= {"topic": "orders", "partition": 0, "offset": 5, "bytes": 0}.items()


@pytest.mark.parametrize(
    ("api", "purgatory"),
    [
        ("JOIN_GROUP", "Rebalance"),
        ("ELECT_LEADERS", "ElectLeader"),
        ("OFFSET_COMMIT", "Remote"),
        ("CREATE_TOPICS", "Remote"),
    ],
)
def test_purgatories_of_other_requests(spark: SparkSession, api: str, purgatory: str) -> None:
    """Those that another thread completes are `Remote`; without remote time there is none."""
    first, second = read(spark, line(api, {}, {}), line(api, {}, {}, remoteTimeMs=0.0))

    assert (first["purgatory"], second["purgatory"]) == (purgatory, None)


@pytest.mark.parametrize(
    ("stamp", "zone"),
    [
        ("[2026-11-21 10:00:00,338]", "Europe/Berlin"),
        ("2026-11-21T09:00:00.338Z stdout F [2026-11-21 04:00:00,338]", "America/New_York"),
        ("[2026-11-21T10:00:00,338+0100]", "America/New_York"),
        ("Nov 21 kafka[1]: 2026-11-21 09:00:00.338000", "UTC"),
    ],
)
def test_the_time_of_a_line(spark: SparkSession, stamp: str, zone: str) -> None:
    """The first date and time; without an offset it is one of the given time zone."""
    [record] = read(spark, line("HEARTBEAT", {}, {}, stamp=stamp), zone=zone)

    assert record["arrived_us"] == WRITTEN_US - 12_750


def test_lines_that_are_not_read_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    """Lines of other loggers, stack traces, lines cut off, the old form, and lines without time."""
    whole = line("HEARTBEAT", {}, {})
    faulty = [
        "[2026-11-21 09:00:00,338] INFO Started (kafka.server.KafkaServer)",
        "java.io.IOException: Broken pipe",
        "\tat java.base/sun.nio.ch.SocketDispatcher.write(SocketDispatcher.java:62)",
        whole[: len(whole) // 2],
        "[2020-01-01 00:00:00,000] DEBUG Completed request:RequestHeader(apiKey=FETCH) -- {}",
        line("HEARTBEAT", {}, {}, stamp=""),
    ]
    log = tmp_path / "kafka-request.log"
    log.write_text("\n".join([whole, *faulty, whole]) + "\n")
    rows, counts = rows_of(spark, FileSource((str(log),)), "UTC")

    assert (counts.rows, counts.malformed) == (8, 6)
    found = plain(malformed(rows))
    assert sorted(row["raw"] for row in found) == sorted(faulty)
    cut = [row["defect"] for row in found if "Completed request:" in row["raw"]]
    assert sorted(cut) == ["no arrived_us", *["not a complete line of a request log"] * 2]
    assert [row["api"] for row in plain(records_of(rows))] == ["Heartbeat"] * 2
    rows.unpersist()


def test_topic_ids_become_names(spark: SparkSession, tmp_path: Path) -> None:
    """Responses that describe topics have the names, in any order and in compressed files."""
    response = {"responses": [{"topicId": TOPIC_ID, "partitions": [READ_PARTITION]}]}
    (tmp_path / "a.log").write_text(line("FETCH", PARKED_FETCH, response) + "\n")
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(f"{METADATA}\n".encode()))
    rows = parsed(FileSource((f"{tmp_path}/a.log", f"{tmp_path}/b.log.gz")).read(spark), "UTC")
    found = plain(with_names(rows, names_of(described(rows))).where("api = 'Fetch'"))

    assert [row["partitions"][0]["topic"] for row in found] == ["orders"]


def use(bootstrap: str) -> None:
    """Produces, fetches that find records, and two that time out."""
    with Connection(bootstrap) as client:
        make_topic(client, "orders")
        client.request(metadata(["orders"], create=False))
        for _ in range(5):
            client.request(produce("orders", 0, batch([b"x"])))
        for offset in range(4):
            client.request(fetch("orders", 0, offset))
        for _ in range(2):
            client.request(fetch("orders", 0, 5, max_wait_ms=50))
        client.request(metadata(["orders"], create=False))


def counted(records: DataFrame) -> list[tuple[Any, ...]]:
    """Requests, parked ones, timeouts and failures of each partition."""
    found = waits(cells(records, 3600)).where("scope = 'partition'")
    fields = ("api", "topic", "partition", "requests", "parked", "timeouts", "failed")
    return sorted(tuple(row[name] for name in fields) for row in plain(found))


def test_a_kafka_and_this_broker_give_the_same_tables(spark: SparkSession, tmp_path: Path) -> None:
    """One workload over both, from the log that each of them has written."""
    kafka_log, our_log = tmp_path / "kafka-request.log", tmp_path / "our-request.log"
    with RealKafka(jvm_options=logging_options(tmp_path, kafka_log), quick=True) as kafka:
        use(kafka.bootstrap)
    with Cluster(1, request_log=our_log) as ours:
        use(ours.bootstrap)

    expected = [("Fetch", "orders", 0, 6, 2, 2, 0), ("Produce", "orders", 0, 5, 0, 0, 0)]
    assert counted(records_in(spark, kafka_log)) == expected
    assert counted(records_in(spark, our_log)) == expected


def test_records_and_log_of_one_run_give_the_same_tables(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Partitions, clients and the longest waits agree where the log has the fields."""
    file, log = tmp_path / "records.jsonl", tmp_path / "request.log"
    with Cluster(1, records=file, request_log=log) as kafka:
        use(kafka.bootstrap)
    ours, logged = records_in(spark, file), records_in(spark, log)

    assert counted(ours) == counted(logged)
    by_client = [plain(clients(each, 3600)) for each in (ours, logged)]
    assert by_client[0] == by_client[1]
    # On a slow machine CreateTopics waits too, and the log does not have its purgatory.
    fetches = [top_waits(spark, each).where("api = 'Fetch'") for each in (ours, logged)]
    longest = [plain(each.select(*LONGEST)) for each in fetches]
    assert longest[0] == longest[1] != []


def records_in(spark: SparkSession, log: Path) -> DataFrame:
    """The records of a file."""
    return records_of(parsed(FileSource((str(log),)).read(spark), "UTC"))
