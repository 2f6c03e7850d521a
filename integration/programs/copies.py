"""Programs that copy a topic and are restarted: no record is lost, repeated or out of order."""

from __future__ import annotations

import struct
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from integration.machine.deadlines import ENDS_WITHIN_S
from integration.programs.java_programs import LOGGING, compiled, printed
from integration.programs.program import Place, Program, Unavailable, maven_jars
from integration.streams.counts import committed_counts

_PARTITIONS = 4
_KEYS = [f"key-{number}" for number in range(7)]
_RECORDS = 1200
_PARALLEL_VERSION = "0.5.3.3"
_PEKKO_VERSION = "1.2.0"
_PEKKO_STREAM_VERSION = "1.2.1"
_PEKKO_OPTIONS = ("-Dpekko.loglevel=ERROR", "-Dpekko.log-dead-letters=off")
_SPARK_VERSION = "4.2.0"


def _copied_by_java(
    place: Place, source: str, coordinates: tuple[str, ...], options: tuple[str, ...] = ()
) -> None:
    """The program restarts its copying by itself, and ends when all records are copied."""
    jars = maven_jars(coordinates[0].partition(":")[2].replace(":", "-"), *coordinates, LOGGING)
    _create_topics(place)
    _write(place, 0, _RECORDS)
    printed([*compiled(source, jars, place.folder, *options), place.bootstrap, str(_RECORDS)])
    _assert_copied(place, _RECORDS)


def _copied_by_spark(place: Place) -> None:
    if find_spec("pyspark") is None:
        raise Unavailable("no pyspark in this environment")
    connector = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{_SPARK_VERSION}"
    jars = maven_jars(f"spark-sql-kafka-{_SPARK_VERSION}", connector)
    script = Path(__file__).parent / "python" / "spark_copies.py"
    arguments = (place.bootstrap, str(jars), str(place.folder / "checkpoint"))
    _create_topics(place)
    for written in (0, _RECORDS // 2):
        _write(place, written, written + _RECORDS // 2)
        done = subprocess.run(
            [sys.executable, script, *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=ENDS_WITHIN_S,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    _assert_copied(place, _RECORDS)


def _create_topics(place: Place) -> None:
    admin = AdminClient({"bootstrap.servers": place.bootstrap, "log_level": 0})
    topics = [NewTopic(name, num_partitions=_PARTITIONS) for name in ("in", "out")]
    for created in admin.create_topics(topics).values():
        created.result(60)


def _write(place: Place, first: int, last: int) -> None:
    """Write the numbers from the first to before the last, each with one of the keys."""
    producer = Producer(
        {"bootstrap.servers": place.bootstrap, "enable.idempotence": True, "log_level": 0}
    )
    for number in range(first, last):
        key = number % len(_KEYS)
        producer.produce("in", struct.pack(">q", number), _KEYS[key], partition=key % _PARTITIONS)
    assert producer.flush(60) == 0


def _assert_copied(place: Place, count: int) -> None:
    wanted = {key: list(range(index, count, len(_KEYS))) for index, key in enumerate(_KEYS)}
    assert committed_counts(place.bootstrap, "out", _PARTITIONS, count) == wanted


PROGRAMS = (
    Program(
        "Confluent Parallel Consumer",
        _PARALLEL_VERSION,
        "records are copied in transactions by key; some fail at first, and it is closed halfway",
        partial(
            _copied_by_java,
            source="ParallelCopies",
            coordinates=(
                f"io.confluent.parallelconsumer:parallel-consumer-core:{_PARALLEL_VERSION}",
            ),
        ),
    ),
    Program(
        "Apache Pekko Connectors Kafka",
        _PEKKO_VERSION,
        "a stream copies records in transactions, and is stopped halfway",
        partial(
            _copied_by_java,
            source="PekkoCopies",
            coordinates=(
                f"org.apache.pekko:pekko-connectors-kafka_2.13:{_PEKKO_VERSION}",
                f"org.apache.pekko:pekko-stream_2.13:{_PEKKO_STREAM_VERSION}",
            ),
            options=_PEKKO_OPTIONS,
        ),
    ),
    Program(
        "Spark Structured Streaming",
        _SPARK_VERSION,
        "a stream copies records in batches; another process continues from its checkpoint",
        _copied_by_spark,
    ),
)
