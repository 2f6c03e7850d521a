"""The stages that Spark has run, with the figures that it keeps of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

_MOST_TASKS = 10_000


@dataclass(frozen=True)
class Stage:
    """*shuffled* has the rows that each task read from a shuffle, *returned* is in bytes."""

    writes_shuffle: bool
    returned: int  # to the driver
    shuffled: tuple[int, ...]


def stages_of(spark: SparkSession, run: Callable[[], object]) -> list[Stage]:
    """The stages of *run*, without those that Spark skipped."""
    before = {each.stageId() for each in _stages(spark)}
    run()
    return [_stage(spark, each) for each in _stages(spark) if each.stageId() not in before]


def _stages(spark: SparkSession) -> list[Any]:
    context: Any = spark.sparkContext._jsc.sc()  # noqa: SLF001 - no public API has Spark's stages
    jvm: Any = spark._jvm  # noqa: SLF001 - the same
    context.listenerBus().waitUntilEmpty()
    none = jvm.java.util.ArrayList()
    gateway: Any = spark.sparkContext._gateway  # noqa: SLF001 - the same
    quantiles = gateway.new_array(jvm.double, 0)
    found = context.statusStore().stageList(none, False, False, quantiles, none)
    listed = (found.apply(place) for place in range(found.size()))
    return [each for each in listed if str(each.status()) == "COMPLETE"]


def _stage(spark: SparkSession, stage: Any) -> Stage:
    store: Any = spark.sparkContext._jsc.sc().statusStore()  # noqa: SLF001 - the same
    tasks = store.taskList(stage.stageId(), stage.attemptId(), _MOST_TASKS)
    metrics = [tasks.apply(place).taskMetrics().get() for place in range(tasks.size())]
    return Stage(
        writes_shuffle=stage.shuffleWriteRecords() > 0,
        returned=sum(each.resultSize() for each in metrics),
        shuffled=tuple(each.shuffleReadMetrics().recordsRead() for each in metrics),
    )
