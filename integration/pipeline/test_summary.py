"""The terminal output while Spark works."""

from __future__ import annotations

import io

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from pipeline.summary import Display

pytestmark = pytest.mark.jvm


def test_in_a_terminal_finished_steps_stay(spark: SparkSession) -> None:
    """The current step shows its progress."""
    out = io.StringIO()
    display = Display(Console(file=out, force_terminal=True, width=60))
    with display.watching(spark):
        display.step("one")
        display.step("two")
        spark.range(1000).count()

    assert "  one\n" in out.getvalue()
    assert "  two\n" in out.getvalue()
