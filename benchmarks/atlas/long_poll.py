"""The end of a long poll: an append wakes it up, or its ``max_wait_ms`` expires."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio
from trio.testing import wait_all_tasks_blocked

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.virtual import in_virtual_time, produce, replicated
from broker.common.timer import TICK_MS
from tests.broker.wait_records.records import kept_of
from tests.requests import FETCH_VERSION, fetch_request

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_WAIT_MS = 500
STEP_MS = 100


class Row(NamedTuple):
    """One fetch; times in ms since it was parked."""

    append_at_ms: int
    parked_ms: float
    cause: str
    records: int


def measure(size: int) -> list[Row]:
    """One fetch for each of *size* times of the append, half a step apart from the timeout."""
    times_ms = [STEP_MS // 2 + STEP_MS * number for number in range(size)]
    return [in_virtual_time(partial(_fetch, at_ms)) for at_ms in times_ms]


async def _fetch(at_ms: int, data_dir: Path) -> Row:
    async with replicated(data_dir) as cluster:
        reader, writer = cluster.client(1), cluster.client(1)
        reader.start(fetch_request("t", 0, max_wait_ms=MAX_WAIT_MS), FETCH_VERSION)
        await wait_all_tasks_blocked()
        await trio.sleep(at_ms / 1000)
        await writer.send(*produce())
        await reader.receive()
        [record] = kept_of(cluster, "Fetch")
    records = sum(each["records"] for each in record["partitions"])
    return Row(at_ms, record["parked_us"] / 1000, record["completed_by"]["cause"], records)


def check(rows: list[Row]) -> None:
    """The wait is the shorter of the two times, and at most two ticks longer when it expires."""
    for row in rows:
        if row.append_at_ms < MAX_WAIT_MS:
            assert (row.parked_ms, row.records) == (row.append_at_ms, 1), row
        else:
            assert MAX_WAIT_MS <= row.parked_ms <= MAX_WAIT_MS + 2 * TICK_MS, row
            assert (row.cause, row.records) == ("timeout", 0), row
    assert {row.cause == "timeout" for row in rows} == {False, True}


def plot(axes: Axes, rows: list[Row]) -> None:
    """The wait against the time of the append, marked by its cause."""
    causes = sorted({row.cause for row in rows}, key=lambda cause: cause == "timeout")
    for cause, marker in zip(causes, "os^", strict=False):
        chosen = [row for row in rows if row.cause == cause]
        axes.plot(
            [row.append_at_ms for row in chosen],
            [row.parked_ms for row in chosen],
            marker,
            label=cause,
        )
    axes.axhline(MAX_WAIT_MS, linestyle=":", color="#57606a")
    axes.set_xlabel("time from the fetch to the append, ms")
    axes.set_ylabel("parked, ms")
    axes.legend(title="completed by")


EXPERIMENT = Experiment(
    "long_poll",
    "Wake-up and expiry of a long poll",
    "A parked fetch completes at the time of the append or at `max_wait_ms`, whichever is first.",
    f"Each fetch has a `max_wait_ms` of {MAX_WAIT_MS} and `min_bytes` of 1, and waits at the end "
    "of the log. An append before that time completes it in the same moment; otherwise it expires, "
    "never early and at most two ticks of the timer late, and its response is empty.",
    ("append after, ms", "parked, ms", "completed by", "records"),
    measure,
    check,
    plot,
    size=10,
    small_size=7,
    size_unit="fetches",
)
