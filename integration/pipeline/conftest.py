"""One Spark session for all tests of this folder, and tables that are computed once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.machine.requirements import need
from integration.pipeline.java_names import keep_names
from integration.pipeline.object_store import s3a_jars
from integration.pipeline.spark_hang import close_connection, stacks_after
from integration.programs.program import Unavailable
from pipeline import analysis
from pipeline.batch import analyse
from pipeline.errors import PipelineError
from pipeline.output import delta
from pipeline.output.store import Store
from pipeline.sources import FileSource
from pipeline.spark.jars import DELTA, KAFKA
from pipeline.spark.session import open_session
from tests.pipeline.wait_records import json_lines, wait_records

WINDOW_S = 10
RECORDS = 2_000
SESSION_WITHIN_S = 600
STACKS_AT = 0.9  # of the time of a test
SESSION = pytest.StashKey[SparkSession]()
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SMALL = {"spark.driver.extraJavaOptions": QUICK_JAVA, "spark.sql.shuffle.partitions": "1"}
# To generate code for a query takes longer than to interpret it for some rows. The tests of
# spark-submit and of a cluster generate code.
INTERPRETED = {
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
}
FOR_SMALL_JOBS = SMALL | INTERPRETED
# The session of these tests plans some thousands of small queries. Java then needs more than the
# 48 MB for machine code that it reserves with one compiler: when they are full, it removes methods
# and compiles them again.
FOR_MANY_JOBS = FOR_SMALL_JOBS | {
    "spark.driver.extraJavaOptions": f"{QUICK_JAVA} -XX:ReservedCodeCacheSize=512m",
    "spark.sql.adaptive.enabled": "false",
}
BAD_LINES = ('{"schema":1,"api":', "[]", '{"schema":9}')


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the first test the time in which Spark starts and computes the shared tables.

    All later tests fail if that test is ended.
    """
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(SESSION_WITHIN_S))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Print the stacks of Java if a test is about to be ended; later tests do not fail with it."""
    uses_spark = "spark" in getattr(item, "fixturenames", ())
    spark = item.config.stash.get(SESSION, None) if uses_spark else None
    marker = item.get_closest_marker("timeout")
    assert marker is not None
    try:
        with stacks_after(spark, STACKS_AT * marker.args[0]) if spark else nullcontext():
            yield
    except pytest.fail.Exception:
        if spark:
            close_connection(spark)
        raise


@pytest.fixture(scope="session")
def spark(pytestconfig: pytest.Config) -> Iterator[SparkSession]:
    """Two cores, with settings for many short jobs."""
    jars: list[Path] = []
    settings = dict(FOR_MANY_JOBS)
    with suppress(PipelineError):  # `topics` reports it
        jars += KAFKA.jars()
    with suppress(PipelineError):  # the tests of Delta tables report it
        jars += DELTA.jars()
        settings |= delta.SETTINGS
    with suppress(Unavailable):  # the tests of object stores report it
        jars += s3a_jars()
    keep_names()
    session = open_session("local[2]", jars, settings, verbose=False)
    pytestconfig.stash[SESSION] = session
    yield session
    session.stop()


@pytest.fixture
def topics(spark: SparkSession) -> None:
    """The session, with the Kafka connector."""
    missing = "sql-kafka" not in str(spark.sparkContext.getConf().get("spark.jars", ""))
    need("jvm", "no Kafka connector for Spark" if missing else None)


@pytest.fixture
def one_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other code in this process gets this session, and cannot stop it."""
    monkeypatch.setattr(analysis, "open_session", lambda *_, **__: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of records, with some invalid lines."""
    file = tmp_path_factory.mktemp("recorded") / "records.jsonl"
    file.write_text(json_lines(wait_records(RECORDS)) + "\n".join(BAD_LINES) + "\n")
    return file


@pytest.fixture(scope="session")
def analysed(
    spark: SparkSession, recorded: Path, tmp_path_factory: pytest.TempPathFactory
) -> Store:
    """The tables of `recorded`."""
    out = str(tmp_path_factory.mktemp("analysed") / "out")
    analyse(spark, FileSource((str(recorded),)), out, WINDOW_S, lambda _: None)
    return Store(spark, out)


@pytest.fixture
def copied(spark: SparkSession, analysed: Store, tmp_path: Path) -> Store:
    """A copy of the tables that a test may change."""
    shutil.copytree(analysed.out, tmp_path / "out")
    return Store(spark, str(tmp_path / "out"))
