"""Input that cannot be analysed: one line of error, exit code 1, and unchanged tables."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antechamber import Cluster
from integration.machine.deadlines import ENDS_WITHIN_S
from integration.pipeline import topics
from integration.pipeline.frames import plain
from pipeline.__main__ import main
from pipeline.output.store import Store
from tests.pipeline.wait_records import json_lines, wait_records

pytestmark = pytest.mark.jvm


@pytest.fixture
def records(tmp_path: Path) -> str:
    """A file of records."""
    path = tmp_path / "records.jsonl"
    path.write_text(json_lines(wait_records(60)))
    return str(path)


def command(*words: str, **environment: str) -> str:
    """Return the stderr of the command in a process of its own, which must fail."""
    ended = subprocess.run(
        [sys.executable, "-m", "antechamber", "analyze", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=ENDS_WITHIN_S,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    return ended.stderr


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return the last line of the command in this process, whose exit code must be 1."""
    assert main(words) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    *steps, last = printed.err.splitlines()
    assert not [step for step in steps if "Exception" in step or "\tat " in step]
    return last.removeprefix("antechamber analyze: ")


def test_without_java(records: str, tmp_path: Path) -> None:
    """The error says what to install."""
    printed = command(records, PATH=str(tmp_path), JAVA_HOME="")

    assert printed.splitlines()[-1] == (
        "antechamber analyze: Spark needs Java, and none is installed; install a Java runtime of"
        " version 17 or newer, or set JAVA_HOME to one"
    )


def test_with_an_old_java(records: str, tmp_path: Path) -> None:
    """The error names the path and the version."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("""#!/bin/sh\necho 'openjdk version "11.0.2"' >&2\n""")
    java.chmod(0o755)
    printed = command(records, JAVA_HOME=str(tmp_path))

    assert f"analyze: {java} is Java 11; install a Java runtime" in printed.splitlines()[-1]


def test_without_a_connector(tmp_path: Path) -> None:
    """The error names the jars, before Spark starts."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        topic = f"kafka://127.0.0.1:{listening.getsockname()[1]}/t"
        printed = command(topic, SPARK_KAFKA_JARS=str(tmp_path))

    assert printed.startswith(
        f"antechamber analyze: SPARK_KAFKA_JARS: {tmp_path} has no spark-sql-"
    )
    assert printed.count("\n") == 1


def test_without_a_broker() -> None:
    """The error is printed before Spark starts."""
    printed = command("kafka://127.0.0.1:1/t")

    assert printed == (
        "antechamber analyze: kafka://127.0.0.1:1: no broker there (Connection refused)\n"
    )


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    """A broker."""
    with Cluster(config={"auto.create.topics.enable": False}) as running:
        yield running


@pytest.mark.usefixtures("topics", "one_session")
@pytest.mark.parametrize("streamed", [(), ("--catch-up",)], ids=["batch", "stream"])
def test_a_topic_with_nothing_to_analyse(
    kafka: Cluster,
    streamed: tuple[str, ...],
    topic: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An empty topic, and a topic of other data; no table is written."""
    words = (f"kafka://{kafka.bootstrap}/{topic}", *streamed, "--out", str(tmp_path / "out"))
    topics.make(kafka.bootstrap, topic)
    assert complaint(capsys, *words) == "the source has no records"
    topics.fill(kafka.bootstrap, topic, ["hello", '{"total": 12.5}'])
    assert complaint(capsys, *words).startswith("none of 2 rows is a wait record; the first: ")
    assert not (tmp_path / "out" / "tables").exists()


@pytest.mark.usefixtures("topics", "one_session")
def test_an_unknown_topic(
    kafka: Cluster, topic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the topic."""
    words = (f"kafka://{kafka.bootstrap}/{topic}", "--out", str(tmp_path / "out"))

    assert complaint(capsys, *words) == f"kafka://{kafka.bootstrap}/{topic}: no such topic"


@pytest.mark.usefixtures("one_session")
def test_files_that_cannot_be_read(
    records: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing file, a truncated compressed file and a truncated Parquet file."""
    whole = gzip.compress(Path(records).read_bytes())
    (tmp_path / "torn.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "torn.parquet").write_bytes(b"PAR1" + bytes(100))
    out = ("--out", str(tmp_path / "out"))

    missing = str(tmp_path / "none.jsonl")
    assert complaint(capsys, missing, *out) == f"{missing}: no such file or folder"
    assert complaint(capsys, f"{tmp_path}/torn.jsonl.gz", *out).startswith("Spark failed: EOFExc")
    assert "torn.parquet" in complaint(capsys, f"{tmp_path}/torn.parquet", *out)
    assert not list((tmp_path / "out").glob("*"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of eight megabytes."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "antechamber-test", str(disk)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"may not mount here: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.usefixtures("one_session")
def test_a_full_disk(
    spark: SparkSession,
    records: str,
    small_disk: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The tables of the previous run are complete, and no files of this run remain."""
    out = str(small_disk / "out")
    assert main([records, "--out", out]) == 0
    before = plain(Store(spark, out).table("waits"))
    files = set(Path(out).rglob("*.parquet"))
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free - 32_000))
    capsys.readouterr()

    assert complaint(capsys, records, "--out", out) == (
        f"--out {out}: no space left on device; tables written before are unchanged"
    )
    assert plain(Store(spark, out).table("waits")) == before
    assert set(Path(out).rglob("*.parquet")) == files
