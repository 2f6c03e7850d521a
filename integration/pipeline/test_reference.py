"""Every table equals its definition in plain Python (`reference`), for random lines."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from integration.pipeline import frames
from integration.pipeline.drawn_lines import Lines, lines
from integration.pipeline.examples import examples
from integration.pipeline.reference.cells import cells
from integration.pipeline.reference.clients import clients
from integration.pipeline.reference.deliveries import deliveries
from integration.pipeline.reference.delivery_latency import delivery_latency
from integration.pipeline.reference.latency import latency
from integration.pipeline.reference.lines import split
from integration.pipeline.reference.produce_lag import produce_lag
from integration.pipeline.reference.record import Row
from integration.pipeline.reference.top_waits import top_waits
from integration.pipeline.reference.waits import waits
from pipeline import stream
from pipeline.schema import parsed
from pipeline.store import Store
from pipeline.writing import write_tables

# Java compiles the code of every table first.
pytestmark = [pytest.mark.jvm, pytest.mark.timeout(600)]

WINDOW_S = 600
MOMENTS = ("window", "arrived", "appended", "delivered")


def expected(texts: Sequence[str]) -> dict[str, list[Row]]:
    """All tables of these lines, by their definitions."""
    records, malformed = split(texts)
    delivered = deliveries(records)
    return {
        "cells": cells(records, WINDOW_S),
        "latency": latency(records, WINDOW_S),
        "waits": waits(records, WINDOW_S),
        "clients": clients(records, WINDOW_S),
        "top_waits": top_waits(records),
        "deliveries": delivered,
        "delivery_latency": delivery_latency(delivered, WINDOW_S),
        "produce_lag": produce_lag(records),
        "malformed": malformed,
    }


def same(store: Store, texts: Sequence[str]) -> None:
    """Assert that the published tables are those of the definitions."""
    published = store.published()
    tables = expected(texts)
    assert {f"tables/{name}" for name in tables} >= {
        name for name in published.manifest.files if name.startswith("tables/")
    }
    for name, rows in tables.items():
        found = plain(published.table(name)) if published.has_rows(name) else []
        assert found == sorted(map(in_order, rows), key=str), name


def plain(table: DataFrame) -> list[Row]:
    """The rows of a table, with times as microseconds; date and hour are those of the time."""
    moments = [name for name in MOMENTS if name in table.columns]
    if "hour" in table.columns:
        at = next(name for name in ("window", "appended") if name in moments)
        hour = sf.date_trunc("hour", at)
        placed = sf.timestamp_seconds(sf.unix_date("date") * 86_400 + sf.col("hour") * 3_600)
        assert table.where(placed != hour).isEmpty()
        table = table.drop("date", "hour")
    for name in moments:
        table = table.withColumn(name, sf.unix_micros(name))
    return sorted((in_order(row.asDict()) for row in table.collect()), key=str)


def in_order(row: Row) -> Row:
    """The same row with its columns in alphabetical order."""
    return dict(sorted(row.items()))


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
