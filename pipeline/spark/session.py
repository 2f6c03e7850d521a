"""The Spark session: local by default, or that of spark-submit."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from pyspark.sql import SparkSession

from pipeline.errors import PipelineError
from pipeline.spark.java import check_java

LOCAL = "local[*]"
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# The collector that takes the least time with few cores and a small heap. The second option
# raises the threshold of the optimising compiler from 5,000 to 100,000 calls: a job is too short
# to benefit, and compilation used a quarter of both cores.
_FOR_A_MINUTE = (
    "-XX:+UseParallelGC -XX:Tier4InvocationThreshold=100000 -XX:Tier4MinInvocationThreshold=12000"
    " -XX:Tier4CompileThreshold=300000 -XX:Tier4BackEdgeThreshold=800000"
)
_ERROR_LINE = re.compile(r"Exception|Error")


def open_session(
    master: str | None, jars: Sequence[Path], settings: Mapping[str, str], *, verbose: bool
) -> SparkSession:
    """Return a session; *settings* override ours. Raises `PipelineError` if Spark cannot start."""
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted:
        check_java()
    configuration = {
        "spark.sql.session.timeZone": "UTC",
        # A single invalid number in a record must not fail the whole job.
        "spark.sql.ansi.enabled": "false",
        # The number of keys whose histograms are aggregated in memory before Spark sorts on disk.
        "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "10000",
    }
    if jars:
        configuration["spark.jars"] = ",".join(map(str, jars))
    if not submitted:
        master = master or LOCAL
    if master is not None and master.startswith("local"):
        configuration |= _on_this_machine(master)
    configuration |= settings
    if not verbose:
        quiet = f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}"
        configuration[_JAVA_OPTIONS] = f"{quiet} {configuration.get(_JAVA_OPTIONS, '')}".rstrip()
        configuration.setdefault("spark.ui.showConsoleProgress", "false")
    builder = SparkSession.builder.appName("antechamber analyze")
    if master is not None:
        builder = builder.master(master)
    for key, value in configuration.items():
        builder = builder.config(key, value)
    with tempfile.TemporaryFile("w+") as output:
        try:
            with nullcontext() if verbose else _stderr_into(output):
                return builder.getOrCreate()
        except Exception as error:  # of Py4J, PySpark or Java
            output.seek(0)
            errors = [line for line in output.read().splitlines() if _ERROR_LINE.search(line)]
            reason = (errors or str(error).strip().splitlines() or [type(error).__name__])[0]
            where = f"--master {master}: " if master else ""
            raise PipelineError(f"{where}Spark did not start: {reason.strip()}") from error


@contextmanager
def _stderr_into(file: IO[str]) -> Iterator[None]:
    """Redirect stderr of this process and of its Java process to *file*."""
    stderr = os.dup(2)
    try:
        os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def _on_this_machine(master: str) -> dict[str, str]:
    cores = re.fullmatch(r"local\[(\d+)\]", master)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        _JAVA_OPTIONS: _FOR_A_MINUTE,
        "spark.ui.enabled": "false",
        # Half of Spark's default: with few cores, one large task of the last ones delays the job.
        "spark.sql.files.maxPartitionBytes": "64m",
        # Persisted data is read only a few times; compression took longer than it saved.
        "spark.sql.inMemoryColumnarStorage.compressed": "false",
        "spark.sql.shuffle.partitions": cores[1] if cores else str(os.cpu_count() or 2),
    }
