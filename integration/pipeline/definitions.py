"""Compares published tables with their definitions in plain Python (`reference`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from integration.pipeline.reference.blame import blame
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
from pipeline.output.store import Store

WINDOW_S = 600
MOMENTS = ("window", "arrived", "appended", "delivered")
# What orders the rows of `top_waits`. Only in drawn lines different records have all of it in
# common: a connection has one request with a correlation ID.
PLACE = ("purgatory", "role", "parked_us", "arrived", "node", "connection", "correlation_id")


def expected(texts: Sequence[str]) -> dict[str, list[Row]]:
    """All tables of these lines, by their definitions."""
    records, malformed = split(texts)
    delivered = deliveries(records)
    return {
        "cells": cells(records, WINDOW_S),
        "latency": latency(records, WINDOW_S),
        "waits": waits(records, WINDOW_S),
        "blame": blame(records, WINDOW_S),
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
        wanted = sorted(map(in_order, rows), key=str)
        if name == "top_waits":
            found, wanted = ranked(found), ranked(wanted)
        assert found == wanted, name


def ranked(rows: list[Row]) -> list[Row]:
    """Rows of `top_waits`; equally ordered ones have their ranks in the order of their contents."""
    equal: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        equal[str([row[name] for name in PLACE])].append(row)
    again = []
    for group in equal.values():
        contents = sorted(({**row, "rank": 0} for row in group), key=str)
        ranks = sorted(row["rank"] for row in group)
        again += [{**row, "rank": rank} for row, rank in zip(contents, ranks, strict=True)]
    return sorted(again, key=str)


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
    return sorted((in_order(row.asDict(recursive=True)) for row in table.collect()), key=str)


def in_order(row: Row) -> Row:
    """The same row with its columns in alphabetical order."""
    return dict(sorted(row.items()))
