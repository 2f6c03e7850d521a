"""``antechamber analyze --check``: what the analysis needs, and what of it is missing.

Each requirement is one line: ``ok`` or ``missing``, and what was found or the remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version

from pipeline.connector import connector_source
from pipeline.errors import PipelineError
from pipeline.java import check_java

_EXTRA = "pip install 'antechamber[pipeline]'"


def check(write: Callable[[str], object]) -> int:
    """Write a line for each requirement; returns the number of missing ones."""
    missing = 0
    for requirement in (_java, _spark, _connector):
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


def _connector() -> str:
    return f"Spark's Kafka connector, {connector_source()}"
