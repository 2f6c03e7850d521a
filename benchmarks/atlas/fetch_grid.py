"""Latency and bytes of a consumer's fetches by ``min_bytes``, ``max_wait_ms`` and arrival rate."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import trio

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.virtual import in_virtual_time, produce, replicated
from broker.common.timer import TICK_MS
from tests.broker.wait_records.records import kept_of
from tests.client import RunningCluster
from tests.requests import FETCH_VERSION, fetch_request

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_BYTES = (1, 1000, 4000)
MAX_WAIT_MS = (50, 200, 500)
INTERVAL_MS = (10, 100)  # between two appends
VALUE = bytes(100)


class Row(NamedTuple):
    """The fetches of one consumer; the wait is in ms, the means are those of a fetch."""

    min_bytes: int
    max_wait_ms: int
    interval_ms: int
    fetches: int
    parked_ms: float
    bytes: float
    timeouts: float


def measure(size: int) -> list[Row]:
    """*size* fetches in each cell of the grid."""
    return [
        in_virtual_time(partial(_consume, size, min_bytes, max_wait_ms, interval_ms))
        for interval_ms in INTERVAL_MS
        for max_wait_ms in MAX_WAIT_MS
        for min_bytes in MIN_BYTES
    ]


async def _consume(
    size: int, min_bytes: int, max_wait_ms: int, interval_ms: int, data_dir: Path
) -> Row:
    async with replicated(data_dir) as cluster, trio.open_nursery() as nursery:
        nursery.start_soon(_append, cluster, interval_ms)
        client, offset = cluster.client(1), 0
        for _ in range(size):
            request = fetch_request("t", offset, max_wait_ms=max_wait_ms, min_bytes=min_bytes)
            await client.send(request, FETCH_VERSION)
            [fetched] = kept_of(cluster, "Fetch")[-1]["partitions"]
            offset += fetched["records"]
        nursery.cancel_scope.cancel()
        records = kept_of(cluster, "Fetch")
    return Row(
        min_bytes,
        max_wait_ms,
        interval_ms,
        len(records),
        fmean(record["parked_us"] for record in records) / 1000,
        fmean(record["partitions"][0]["bytes"] for record in records),
        fmean(record["completed_by"]["cause"] == "timeout" for record in records),
    )


async def _append(cluster: RunningCluster, interval_ms: int) -> None:
    client = cluster.client(1)
    while True:
        await trio.sleep(interval_ms / 1000)
        await client.send(*produce(value=VALUE))


def check(rows: list[Row]) -> None:
    """More bytes take longer, until max_wait_ms ends the wait; a lower rate never shortens it."""
    cells = {row[:3]: row for row in rows}
    for row in rows:
        assert row.parked_ms <= row.max_wait_ms + 2 * TICK_MS, row
        if row.timeouts == 0:
            assert row.bytes >= row.min_bytes, row
    for interval_ms in INTERVAL_MS:
        for max_wait_ms in MAX_WAIT_MS:
            line = [cells[min_bytes, max_wait_ms, interval_ms] for min_bytes in MIN_BYTES]
            for less, more in pairwise(line):
                assert less.parked_ms <= more.parked_ms, (less, more)
                assert less.bytes <= more.bytes, (less, more)
    for min_bytes in MIN_BYTES:
        for max_wait_ms in MAX_WAIT_MS:
            line = [cells[min_bytes, max_wait_ms, interval_ms] for interval_ms in INTERVAL_MS]
            for dense, sparse in pairwise(line):
                assert dense.parked_ms <= sparse.parked_ms + TICK_MS, (dense, sparse)


def plot(axes: Axes, rows: list[Row]) -> None:
    """Mean bytes against mean wait: a point for each cell, a line for each pair of settings."""
    colours = ("#0969da", "#bc4c00", "#1a7f37")
    for interval_ms, style in zip(INTERVAL_MS, ("o-", "s--"), strict=True):
        for max_wait_ms, colour in zip(MAX_WAIT_MS, colours, strict=True):
            line = [row for row in rows if row[1:3] == (max_wait_ms, interval_ms)]
            axes.plot(
                [row.parked_ms for row in line],
                [row.bytes for row in line],
                style,
                color=colour,
                label=f"every {interval_ms} ms, max_wait_ms={max_wait_ms}",
            )
    axes.set_xlabel("mean wait of a fetch, ms")
    axes.set_ylabel("mean bytes of a fetch")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "fetch_grid",
    "Fetch latency and bytes",
    "A larger `min_bytes` makes fetches wait longer and return more bytes, until `max_wait_ms` "
    "ends the wait.",
    "One consumer fetches in a loop while a producer appends a record of 100 bytes at a fixed "
    f"interval; the points of a line are `min_bytes` of {', '.join(map(str, MIN_BYTES))}. Where "
    "the interval is too long to collect `min_bytes` within `max_wait_ms`, only the timeout "
    "ends a wait and a larger `min_bytes` changes nothing.",
    (
        "min_bytes",
        "max_wait_ms",
        "append every, ms",
        "fetches",
        "parked, ms",
        "bytes",
        "share of timeouts",
    ),
    measure,
    check,
    plot,
    size=20,
    small_size=6,
    size_unit="fetches in each cell",
)
