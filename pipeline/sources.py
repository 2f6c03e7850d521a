"""The sources of records: files of JSON lines or Parquet, or a topic.

A topic is named ``kafka://HOST:PORT/TOPIC``. The rows of every source become JSON texts in a column
``value``, which one parser reads.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.errors import PipelineError
from pipeline.output.files import Files
from pipeline.paths import is_plain

KAFKA = "kafka://"
CONNECT_WITHIN_S = 5.0
FILES_A_BATCH = 100
OFFSETS_A_BATCH = 1_000_000

# The connector's default timeouts are minutes; a running broker responds in seconds.
_PATIENCE = {"kafka.default.api.timeout.ms": "15000", "kafka.request.timeout.ms": "10000"}


class Source(Protocol):
    """A source of records."""

    needs_connector: bool

    def reach(self) -> None:
        """Raise `PipelineError` if the source is not reachable; called before Spark starts."""
        ...

    def check(self, spark: SparkSession, /) -> None:
        """Raise `PipelineError` if there is nothing to read."""
        ...

    def read(self, spark: SparkSession) -> DataFrame:
        """Return all present rows, as texts in ``value``."""
        ...

    def stream(self, spark: SparkSession) -> DataFrame:
        """Return the present and future rows as a stream of texts in ``value``."""
        ...


def source_of(given: tuple[str, ...], *, plain_paths_are_local: bool = False) -> Source:
    """Return the source that the arguments name; raises `PipelineError` if they are invalid."""
    if not any(name.startswith(KAFKA) for name in given):
        return FileSource(given, plain_paths_are_local)
    if len(given) > 1:
        raise PipelineError(f"a topic is read alone, not with other sources: {' '.join(given)}")
    servers, _, topic = given[0].removeprefix(KAFKA).partition("/")
    if not topic or not all(_is_address(server) for server in servers.split(",")):
        raise PipelineError(f"{given[0]}: a topic is named {KAFKA}HOST:PORT[,HOST:PORT...]/TOPIC")
    return TopicSource(servers, topic)


@dataclass(frozen=True)
class FileSource:
    """Files, folders or patterns: JSON lines (also compressed), or Parquet by their names."""

    patterns: tuple[str, ...]
    plain_paths_are_local: bool = False
    needs_connector = False

    def reach(self) -> None:
        """Raise if a plain path of this machine is missing; Spark looks up all others."""
        for pattern in self.patterns:
            if self.plain_paths_are_local and is_plain(pattern) and not Path(pattern).exists():
                raise _missing(pattern)

    def check(self, spark: SparkSession, /) -> None:
        """Raise unless every pattern matches a file."""
        files = Files(spark)
        for pattern in self.patterns:
            if not files.glob(pattern):
                raise _missing(pattern)

    def read(self, spark: SparkSession) -> DataFrame:
        """Return the lines of all files; rows of Parquet files are converted to JSON."""
        files = Files(spark)
        names = [name for pattern in self.patterns for name in files.glob(pattern)]
        parquet = [name for name in names if _is_parquet(files, name)]
        texts = [name for name in names if name not in parquet]
        parts = [_lines(spark.read.text(texts))] if texts else []
        if parquet:
            rows = spark.read.option("mergeSchema", "true").parquet(*parquet)
            parts.append(rows.select(sf.to_json(sf.struct("*")).alias("value")))
        return parts[0] if len(parts) == 1 else parts[0].unionByName(parts[1])

    def stream(self, spark: SparkSession) -> DataFrame:
        """Return the lines of the present and future files in one folder."""
        files = Files(spark)
        [folder, *more] = self.patterns
        if more or not files.is_folder(folder):
            raise PipelineError(
                f"{folder}: a stream of files is one folder into which files are added"
            )
        options: Any = {"maxFilesPerTrigger": FILES_A_BATCH}
        return _lines(spark.readStream.options(**options).text(folder))


@dataclass(frozen=True)
class TopicSource:
    """A topic, read by Spark's Kafka connector."""

    bootstrap: str
    topic: str
    needs_connector = True

    def reach(self) -> None:
        """Raise unless one of the brokers accepts connections."""
        reasons = [_unreachable(server) for server in self.bootstrap.split(",")]
        if all(reasons):
            raise PipelineError(f"{KAFKA}{self.bootstrap}: no broker there ({reasons[0]})")

    def check(self, _: SparkSession, /) -> None:
        """Do nothing, because the connector reports a missing topic itself."""

    def read(self, spark: SparkSession) -> DataFrame:
        """Return the present records of the topic."""
        return _values(spark.read.format("kafka").options(**self._options()).load())

    def stream(self, spark: SparkSession) -> DataFrame:
        """Return the records of the topic from its start or the checkpoint, and future ones."""
        options = self._options() | {"maxOffsetsPerTrigger": str(OFFSETS_A_BATCH)}
        return _values(spark.readStream.format("kafka").options(**options).load())

    def _options(self) -> dict[str, str]:
        named = {"kafka.bootstrap.servers": self.bootstrap, "subscribe": self.topic}
        return named | {"startingOffsets": "earliest"} | _PATIENCE


def _missing(pattern: str) -> PipelineError:
    return PipelineError(f"{pattern}: no such file or folder")


def _lines(texts: DataFrame) -> DataFrame:
    # Not by the length, because Spark counts the characters of every line for that.
    return texts.where(sf.trim("value") != "")


def _values(rows: DataFrame) -> DataFrame:
    return rows.select(sf.col("value").cast("string").alias("value"))


def _is_parquet(files: Files, name: str) -> bool:
    patterns = (f"{name}/*.parquet", f"{name}/*/*.parquet", f"{name}/*/*/*.parquet")
    return name.endswith(".parquet") or any(files.glob(pattern) for pattern in patterns)


def _is_address(server: str) -> bool:
    host, _, port = server.rpartition(":")
    return bool(host) and port.isdecimal() and 0 < int(port) < 65536


def _unreachable(server: str) -> str | None:
    host, _, port = server.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_WITHIN_S).close()
    except OSError as error:
        return error.strerror or str(error)
    return None
