"""Every table equals its definition in plain Python (`reference`), for random lines."""

from __future__ import annotations

import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from integration.pipeline import frames
from integration.pipeline.definitions import WINDOW_S, same
from integration.pipeline.drawn_lines import Lines, lines
from integration.pipeline.examples import examples
from pipeline import stream
from pipeline.computation.schema import parsed
from pipeline.output.store import Store
from pipeline.writing import write_tables

# Java compiles the code of every table first.
pytestmark = [pytest.mark.jvm, pytest.mark.timeout(600)]


@examples(4)
@given(texts=lines())
def test_the_tables_of_one_run_are_those_of_their_definitions(
    spark: SparkSession, texts: Lines
) -> None:
    """Skewed, duplicated and broken lines, and records without optional fields."""
    with tempfile.TemporaryDirectory() as out:
        store = Store(spark, out)
        run = store.begin()
        rows = parsed(frames.lines(spark, texts)).persist()
        write_tables(spark, run, rows, WINDOW_S)
        store.publish(run, WINDOW_S)
        rows.unpersist()
        same(store, texts)


@examples(2)
@given(texts=lines(), broken=st.lists(st.sampled_from(("{", "none")), max_size=2))
def test_the_tables_of_a_stream_are_those_of_their_definitions(
    spark: SparkSession, texts: Lines, broken: list[str]
) -> None:
    """The lines arrive in three micro-batches, late ones last; one may have no record."""
    third = len(texts) // 3
    arrived = [texts[third:], texts[:third], broken]
    with tempfile.TemporaryDirectory() as out:
        store = Store(spark, out)
        store.stream(WINDOW_S)
        for number, batch in enumerate(filter(None, arrived)):
            rows = parsed(frames.lines(spark, batch))
            rows.write.parquet(f"{out}/rows/batch={number}")
            assert stream.publish(spark, out, WINDOW_S, lambda _: None).rows == len(batch)
        same(store, [*texts, *broken])
