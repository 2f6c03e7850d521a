"""What Spark does for a run: passes over the source, shuffles, skew, and rows in the driver."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark import Accumulator
from pyspark.sql import DataFrame, SparkSession

from integration.pipeline.conftest import WINDOW_S
from integration.pipeline.frames import record
from integration.pipeline.stages import Stage, stages_of
from pipeline.batch import analyse

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(600)]

TASKS = 4
SETTINGS = {
    "spark.sql.shuffle.partitions": str(TASKS),
    # Otherwise Spark merges the small partitions of a test into one.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}
FEW, MANY = 1_500, 6_000  # requests
SHUFFLES = 12
BALANCED_ROWS = 500  # a shuffle of fewer rows may be uneven


@dataclass
class CountedSource:
    """Lines in two partitions, which counts the lines that are read."""

    lines: list[str]
    read_lines: Accumulator[int] = field(init=False)
    needs_connector = False

    def reach(self) -> None:
        """Do nothing."""

    def check(self, spark: SparkSession, /) -> None:
        """Begin to count."""
        self.read_lines = spark.sparkContext.accumulator(0)

    def read(self, spark: SparkSession) -> DataFrame:
        """The lines."""
        counter = self.read_lines

        def counted(line: str) -> tuple[str]:
            counter.add(1)
            return (line,)

        texts = spark.sparkContext.parallelize(self.lines, 2)
        return spark.createDataFrame(texts.map(counted), "value string")

    def stream(self, spark: SparkSession) -> DataFrame:
        """Not used."""
        raise NotImplementedError


@pytest.fixture
def four_tasks(spark: SparkSession) -> Iterator[SparkSession]:
    """The session, with four tasks after each shuffle."""
    before = {name: str(spark.conf.get(name)) for name in SETTINGS}
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


def skewed(count: int) -> list[str]:
    """Produces and fetches: nine of ten are of one partition, and all of them wait."""
    found = []
    for number in range(count // 2):
        place = {"topic": "orders", "partition": 0 if number % 10 else 1 + number % 7}
        place |= {"offset": 5 * number, "records": 5, "error": 0}
        for api, client in (("Produce", "billing"), ("Fetch", "shipping")):
            made = record(
                api=api,
                client_id=client,
                arrived_us=1_763_715_600_000_000 + 20_000 * number,
                purgatory=api,
                parked_us=100 + 7 * number,
                total_us=200 + 7 * number,
                waited_for={"kind": "high_watermark", "need": number % 50 + 5, "had": 0},
                completed_by={"cause": "append"},
                partitions=[place],
            )
            found.append(json.dumps(made))
    return found


def run(spark: SparkSession, out: Path, source: CountedSource) -> list[Stage]:
    """The stages of one analysis."""
    return stages_of(spark, lambda: analyse(spark, source, str(out), WINDOW_S, lambda _: None))


def test_a_run_has_few_passes_and_no_skew(four_tasks: SparkSession, tmp_path: Path) -> None:
    """The source is read once, and one hot partition does not make one large task.

    What the driver receives, and the number of shuffles, do not grow with the requests.
    """
    few, many = CountedSource(skewed(FEW)), CountedSource(skewed(MANY))
    before = run(four_tasks, tmp_path / "few", few)
    after = run(four_tasks, tmp_path / "many", many)

    assert (few.read_lines.value, many.read_lines.value) == (FEW, MANY)
    assert sum(stage.writes_shuffle for stage in before) <= SHUFFLES
    assert sum(stage.writes_shuffle for stage in after) <= SHUFFLES
    assert max(map(largest_share, after)) < 2
    assert returned(after) < 1.5 * returned(before)


def largest_share(stage: Stage) -> float:
    """The rows of the largest task after a shuffle, as a multiple of the mean."""
    total = sum(stage.shuffled)
    return max(stage.shuffled) * len(stage.shuffled) / total if total >= BALANCED_ROWS else 0


def returned(stages: list[Stage]) -> int:
    """The bytes that the driver received from tasks."""
    return sum(stage.returned for stage in stages)
