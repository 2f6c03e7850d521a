"""Records in topics of our broker and of a real Kafka give the same tables as a file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.machine.deadlines import eventually
from integration.pipeline import topics
from integration.pipeline.conftest import BAD_LINES, FOR_SMALL_JOBS, RECORDS, WINDOW_S
from integration.pipeline.frames import plain
from integration.processes.server_process import ServerProcess
from pipeline import stream
from pipeline.batch import Counts, analyse
from pipeline.output.store import Store
from pipeline.sources import TopicSource

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("topics")]

TOPIC = "waits"
TABLES = ("latency", "waits", "top_waits", "deliveries", "delivery_latency", "produce_lag")


def same(one: Store, other: Store) -> None:
    """Assert that all tables are equal, row by row."""
    for name in (*TABLES, "malformed"):
        assert plain(one.table(name)) == plain(other.table(name)), name


@pytest.mark.parametrize(
    "broker", [pytest.param(Cluster, id="ours"), pytest.param(RealKafka, id="kafka")]
)
def test_a_topic_gives_the_tables_of_the_file(
    broker: type[Cluster | RealKafka],
    spark: SparkSession,
    analysed: Store,
    recorded: Path,
    tmp_path: Path,
) -> None:
    """The same lines in three partitions of a topic, ours or a real Kafka's."""
    with broker() as running:
        topics.make(running.bootstrap, TOPIC, partitions=3)
        topics.fill(running.bootstrap, TOPIC, recorded.read_text().splitlines())
        source = TopicSource(running.bootstrap, TOPIC)
        counts = analyse(spark, source, f"{tmp_path}/out", WINDOW_S, lambda _: None)

    assert counts == Counts(RECORDS + len(BAD_LINES), len(BAD_LINES))
    same(Store(spark, f"{tmp_path}/out"), analysed)


def test_a_killed_stream_continues_at_its_position(
    spark: SparkSession, analysed: Store, recorded: Path, tmp_path: Path
) -> None:
    """After a kill within a micro-batch, later records are added once."""
    out = tmp_path / "out"
    lines = recorded.read_text().splitlines()
    with Cluster() as kafka:
        topics.make(kafka.bootstrap, TOPIC, partitions=3)
        topics.fill(kafka.bootstrap, TOPIC, lines[:1_200])
        words = ["analyze", f"kafka://{kafka.bootstrap}/{TOPIC}", "--follow", "--out", str(out)]
        words += ["--window", str(WINDOW_S), "--master", "local[2]"]
        words += [
            argument for pair in FOR_SMALL_JOBS.items() for argument in ("--conf", "=".join(pair))
        ]
        job = ServerProcess([sys.executable, "-m", "antechamber", *words], tmp_path / "output")
        try:
            eventually((out / "rows" / "batch=0").exists, "a batch under way", within=90)
        finally:
            job.kill()
        topics.fill(kafka.bootstrap, TOPIC, lines[1_200:])
        source = TopicSource(kafka.bootstrap, TOPIC)
        stream.start(spark, source, str(out), WINDOW_S, follow=False).awaitTermination()

    assert stream.publish(spark, str(out), WINDOW_S, lambda _: None).rows == len(lines)
    same(Store(spark, str(out)), analysed)
