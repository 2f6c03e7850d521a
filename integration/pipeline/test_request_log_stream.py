"""Request logs that are followed, or read in several runs, give the tables of one run."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.machine.deadlines import eventually
from integration.pipeline.conftest import FOR_SMALL_JOBS, WINDOW_S
from integration.pipeline.frames import plain
from integration.pipeline.request_logs import PARKED_FETCH, line
from integration.processes.server_process import ServerProcess
from pipeline import stream
from pipeline.batch import analyse
from pipeline.output.store import Store
from pipeline.sources import FileSource

pytestmark = pytest.mark.jvm

TOPIC_ID = "xZbJLmgIQFSLoZOezs6pLA"
TABLES = ("latency", "waits", "clients", "top_waits", "produce_lag", "malformed")
STAMPS = [f"[2026-11-21 {hour:02}:30:00,500]" for hour in (8, 9, 10)]


def log(number: int) -> str:
    """A log of two hours: parked fetches that name a topic by its id, and a line cut off."""
    place = {"partitionIndex": 0, "errorCode": 0, "highWatermark": 9, "recordsSizeInBytes": 64}
    response = {"responses": [{"topicId": TOPIC_ID, "partitions": [place]}]}
    headers = [{"correlationId": 10 * number + at} for at in range(2)]
    lines = [
        line("FETCH", PARKED_FETCH, response, stamp=stamp, header=header)
        for stamp, header in zip(STAMPS[number : number + 2], headers, strict=True)
    ]
    described = {"topics": [{"name": "orders", "topicId": TOPIC_ID}]}
    metadata = line("METADATA", {}, described, stamp=STAMPS[number], remoteTimeMs=0.0)
    return "\n".join([metadata, *lines, lines[0][:-200]]) + "\n"


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """Two logs, of which the second one is not in the folder yet."""
    (tmp_path / "in").mkdir()
    first, second = tmp_path / "in" / "kafka-request.log.1", tmp_path / "later"
    first.write_text(log(0))
    second.write_text(log(1))
    return [first, second]


@pytest.fixture
def expected(spark: SparkSession, logs: list[Path], tmp_path: Path) -> Store:
    """The tables of one run over both."""
    source = FileSource(tuple(map(str, logs)))
    analyse(spark, source, f"{tmp_path}/expected", WINDOW_S, lambda _: None, "Europe/Berlin")
    return Store(spark, f"{tmp_path}/expected")


def same(one: Store, other: Store) -> None:
    """Assert that the tables are equal, row by row, and name the topic."""
    for name in TABLES:
        assert plain(one.table(name)) == plain(other.table(name)), name
    topics = {row["topic"] for row in plain(one.table("waits"))}
    assert topics == {None, "orders"}


def test_logs_that_are_read_in_two_runs(
    spark: SparkSession, logs: list[Path], expected: Store, tmp_path: Path
) -> None:
    """The second run adds to an hour of the first one."""
    for number in range(2):
        if number == 1:
            logs[1].rename(tmp_path / "in" / "kafka-request.log.2")
        source, out = FileSource((f"{tmp_path}/in",)), f"{tmp_path}/out"
        query = stream.start(spark, source, out, WINDOW_S, follow=False, time_zone="Europe/Berlin")
        query.awaitTermination()
        assert stream.publish(spark, out, WINDOW_S, lambda _: None).rows == 4

    same(Store(spark, f"{tmp_path}/out"), expected)


def test_logs_that_are_followed_until_an_interrupt(
    spark: SparkSession, logs: list[Path], expected: Store, tmp_path: Path
) -> None:
    """The command adds a new log, and ends with a page when it is interrupted."""
    out = tmp_path / "out"
    words = ["analyze", f"{tmp_path}/in", "--follow", "--out", str(out), "--summary"]
    words += [f"{tmp_path}/figures.json", "--window", str(WINDOW_S), "--master", "local[2]"]
    words += ["--log-time-zone", "Europe/Berlin"]
    for pair in FOR_SMALL_JOBS.items():
        words += ["--conf", "=".join(pair)]
    job = ServerProcess([sys.executable, "-m", "antechamber", *words], tmp_path / "output")
    try:
        first, second = (out / "rows" / f"batch={n}" / "_SUCCESS" for n in range(2))
        published = out / "tables.json"
        # A micro-batch is removed when it is in the tables.
        eventually(lambda: first.exists() or has_micro_batch(published, 0), "a batch", within=120)
        logs[1].rename(tmp_path / "in" / "kafka-request.log.2")
        eventually(lambda: second.exists() or has_micro_batch(published, 1), "another", within=120)
        job.signal(signal.SIGINT)
        code = job.wait(120)
    finally:
        job.kill()

    assert (code, job.stdout().splitlines()[-1]) == (0, f"report: {out}/report.html")
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert [(each["requests"], each["malformed"]) for each in figures["sets"]] == [(6, 2)]
    same(Store(spark, str(out)), expected)


def has_micro_batch(manifest: Path, number: int) -> bool:
    """Whether a micro-batch is in the published tables."""
    return manifest.exists() and json.loads(manifest.read_text())["micro_batch"] >= number
