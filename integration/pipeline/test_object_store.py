"""Records and tables in an object store, by S3A."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.machine.requirements import need
from integration.pipeline.conftest import WINDOW_S
from integration.pipeline.object_store import ObjectStore, object_store
from integration.programs.program import Unavailable
from pipeline.batch import analyse
from pipeline.output.store import Store
from pipeline.sources import FileSource

pytestmark = pytest.mark.jvm


@pytest.fixture(scope="module")
def objects(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """A server that the session uses."""
    if "hadoop-aws" not in str(spark.sparkContext.getConf().get("spark.jars", "")):
        need("jvm", "no S3A for Spark")
    try:
        with object_store(tmp_path_factory.mktemp("objects")) as store:
            store.use_in(spark)
            yield store
    except Unavailable as reason:
        need("jvm", str(reason))


def test_the_tables_are_those_of_a_folder(
    spark: SparkSession, objects: ObjectStore, recorded: Path, analysed: Store
) -> None:
    """Of the same records, read from the object store too."""
    objects.put("records/a.jsonl", recorded.read_bytes())
    out = f"{objects.root}/out"
    analyse(spark, FileSource((f"{objects.root}/records",)), out, WINDOW_S, lambda _: None)

    there = Store(spark, out)
    assert there.published().manifest.files.keys() == analysed.published().manifest.files.keys()
    for name in ("waits", "deliveries", "malformed"):
        rows, expected = (
            sorted(map(str, each.table(name).collect())) for each in (there, analysed)
        )
        assert rows == expected
        assert rows


def test_readers_see_one_publication(spark: SparkSession, objects: ObjectStore) -> None:
    """That of the last run that has ended: not the files of one that publishes, or was killed."""
    store = Store(spark, f"{objects.root}/published")
    for number in (1, 2):
        run = store.begin()
        spark.range(number).write.parquet(run.folder("tables/waits"))
        before = store.manifest()
        store.publish(run, WINDOW_S)
        if number == 1:
            assert before is None
            reader = store.published()
    killed = store.begin()
    spark.range(9).write.parquet(killed.folder("tables/waits"))

    assert (reader.table("waits").count(), store.table("waits").count()) == (1, 2)
    store.clean()
    assert not store.files.exists(killed.folder("tables/waits"))
    assert store.table("waits").count() == 2
