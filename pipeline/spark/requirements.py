"""``antechamber analyze --check``: what the analysis needs, and what of it is missing.

Each requirement is one line: ``ok`` or ``missing``, and what was found or the remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from pipeline.errors import PipelineError
from pipeline.spark.jars import DELTA, KAFKA, JarSet
from pipeline.spark.java import check_java

_EXTRA = "pip install 'antechamber[pipeline]'"


def check(write: Callable[[str], object], *, delta: bool = False) -> int:
    """Write a line for each requirement; returns the number of missing ones.

    Delta Lake is one with *delta*.
    """
    missing = 0
    requirements: list[Callable[[], str]] = [_java, _spark, partial(_jars, KAFKA)]
    if delta:
        requirements.append(partial(_jars, DELTA))
    for requirement in requirements:
        try:
            write(f"ok       analyze: {requirement()}\n")
        except PipelineError as error:
            write(f"missing  analyze: {error}\n")
            missing += 1
    return missing


def _java() -> str:
    return f"Java {check_java()}"


def _spark() -> str:
    absent = list(_absent("pyspark", "rich"))
    if absent:
        raise PipelineError(f"{', '.join(absent)} not installed; {_EXTRA}")
    return f"Spark {version('pyspark')}"


def _absent(*packages: str) -> Iterator[str]:
    for package in packages:
        try:
            version(package)
        except PackageNotFoundError:
            yield package


def _jars(jar_set: JarSet) -> str:
    return f"{jar_set.name}, {jar_set.source()}"
