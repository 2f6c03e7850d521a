"""The Spark session: on this machine unless told otherwise, or the one of spark-submit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from pyspark.sql import SparkSession

from pipeline.errors import PipelineError

JAVA_MIN = 17
LOCAL = "local[*]"
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# The collector that takes least time with a few cores and a small heap. And code that Java would
# make as fast as it can after 5,000 calls waits for twenty times as many: a job is over so soon
# that most of this never paid, and it took a quarter of both cores.
_FOR_A_MINUTE = (
    "-XX:+UseParallelGC -XX:Tier4InvocationThreshold=100000 -XX:Tier4MinInvocationThreshold=12000"
    " -XX:Tier4CompileThreshold=300000 -XX:Tier4BackEdgeThreshold=800000"
)
_TELLING = re.compile(r"Exception|Error")
_REMEDY = f"install a Java runtime of version {JAVA_MIN} or newer, or set JAVA_HOME to one"


def open_session(
    master: str | None, jars: Sequence[Path], settings: Mapping[str, str], *, verbose: bool
) -> SparkSession:
    """A session; *settings* go over ours. Raises `PipelineError` when there can be none."""
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted:
        check_java()
    configuration = {
        "spark.sql.session.timeZone": "UTC",
        # One strange number in one record must not fail the whole job.
        "spark.sql.ansi.enabled": "false",
        # Histograms are gathered in memory for so many keys, before they are sorted on disk.
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
    with tempfile.TemporaryFile("w+") as said:
        try:
            with nullcontext() if verbose else _stderr_into(said):
                return builder.getOrCreate()
        except Exception as error:  # of Py4J, PySpark or Java: whatever it is, Spark did not start
            said.seek(0)
            told = [line for line in said.read().splitlines() if _TELLING.search(line)]
            reason = (told or str(error).strip().splitlines() or [type(error).__name__])[0]
            where = f"--master {master}: " if master else ""
            raise PipelineError(f"{where}Spark did not start: {reason.strip()}") from error


@contextmanager
def _stderr_into(file: IO[str]) -> Iterator[None]:
    """Let *file* have what this process, and Java with it, says on stderr."""
    stderr = os.dup(2)
    try:
        os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def check_java() -> None:
    """Raise `PipelineError` unless the Java that Spark would take is there and new enough."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None:
        raise PipelineError(f"no Java here, and Spark runs on it; {_REMEDY}")
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr  # noqa: S603 - the user's own Java
    except (OSError, subprocess.CalledProcessError) as error:
        raise PipelineError(f"{java} does not run ({error}); {_REMEDY}") from None
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    if found is None or int(found[1]) < JAVA_MIN:
        version = found[1] if found else "of unknown version"
        raise PipelineError(f"{java} is Java {version}; {_REMEDY}")


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
        # Half of Spark's choice: with few cores the last of a few tasks would be long alone.
        "spark.sql.files.maxPartitionBytes": "64m",
        # What is kept is read a few times and let go: to make it small took longer than to read it.
        "spark.sql.inMemoryColumnarStorage.compressed": "false",
        "spark.sql.shuffle.partitions": cores[1] if cores else str(os.cpu_count() or 2),
    }
