"""The latency of a produce by its ``acks``, while one follower is delayed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio
from trio.testing import wait_all_tasks_blocked

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.virtual import in_virtual_time, produce, replicated
from tests.broker.wait_records.records import kept_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEP_MS = 50
FASTER_SHARE = 0.5  # the delay of the other follower, as a share of that of the slowest
NAMES = {0: "0", 1: "1", -1: "all"}


class Row(NamedTuple):
    """The latency of one produce in ms, with the delay of the slowest follower in ms."""

    acks: str
    min_insync_replicas: int
    slowest_ms: int
    latency_ms: float


def measure(size: int) -> list[Row]:
    """One produce for each kind of ``acks`` and each of *size* delays."""
    delays_ms = [STEP_MS * number for number in range(size)]
    cases = [(0, 1), (1, 1), (-1, 1), (-1, 3)]
    return [
        in_virtual_time(partial(_produce, acks, least, delay_ms))
        for acks, least in cases
        for delay_ms in delays_ms
    ]


async def _produce(acks: int, least: int, delay_ms: int, data_dir: Path) -> Row:
    async with replicated(data_dir, min_insync_replicas=str(least)) as cluster:
        client = cluster.client(1)
        for follower in (2, 3):
            cluster.cluster.pause(follower)
        client.start(*produce(acks))
        await wait_all_tasks_blocked()
        await trio.sleep(delay_ms * FASTER_SHARE / 1000)
        cluster.cluster.resume(2)
        await trio.sleep(delay_ms * (1 - FASTER_SHARE) / 1000)
        cluster.cluster.resume(3)
        await wait_all_tasks_blocked()
        [record] = kept_of(cluster, "Produce")
    return Row(NAMES[acks], least, delay_ms, record["total_us"] / 1000)


def check(rows: list[Row]) -> None:
    """Only with all is the latency that of the slowest follower; min.insync.replicas is not."""
    for row in rows:
        expected_ms = row.slowest_ms if row.acks == "all" else 0
        assert abs(row.latency_ms - expected_ms) <= 1, row


def plot(axes: Axes, rows: list[Row]) -> None:
    """The latency against the delay, a line for each case."""
    styles = {("0", 1): "o-", ("1", 1): "x--", ("all", 1): "s-", ("all", 3): "d--"}
    for (acks, least), style in styles.items():
        chosen = [row for row in rows if (row.acks, row.min_insync_replicas) == (acks, least)]
        axes.plot(
            [row.slowest_ms for row in chosen],
            [row.latency_ms for row in chosen],
            style,
            label=f"acks={acks}, min.insync.replicas={least}",
        )
    axes.set_xlabel("delay of the slowest in-sync follower, ms")
    axes.set_ylabel("latency of the produce, ms")
    axes.legend()


EXPERIMENT = Experiment(
    "acks",
    "Produce latency and acks",
    "The latency of a produce grows with the delay of the slowest in-sync follower only with "
    "`acks=all`, whatever `min.insync.replicas` is.",
    "Two followers are delayed, one by half as much as the other; the produce with `acks=all` is "
    "parked until the slower one has fetched the record. `min.insync.replicas` does not shorten "
    "the wait, because a produce waits for all replicas in the ISR and not for that number.",
    ("acks", "min.insync.replicas", "slowest follower, ms", "latency, ms"),
    measure,
    check,
    plot,
    size=6,
    small_size=3,
    size_unit="delays",
)
