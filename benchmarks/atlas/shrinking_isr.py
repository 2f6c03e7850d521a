"""The latency of produces with ``acks=all`` while a follower leaves the ISR."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio
from trio.testing import wait_all_tasks_blocked

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.virtual import in_virtual_time, produce, replicated
from broker.common.timer import TICK_MS
from protocol.errors import ErrorCode
from tests.broker.wait_records.records import kept_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAG_MAX_MS = 2000
SPAN_MS = 5000
TIMEOUT_MS = 4000  # of a produce


class Row(NamedTuple):
    """One produce; its time is in ms since the follower stopped."""

    min_insync_replicas: int
    sent_at_ms: int
    latency_ms: float
    error: str


def measure(size: int) -> list[Row]:
    """*size* produces at equal distances, each on its own connection, for two settings."""
    return [row for least in (2, 3) for row in in_virtual_time(partial(_produce, size, least))]


async def _produce(size: int, least: int, data_dir: Path) -> list[Row]:
    config = {"replica_lag_time_max_ms": str(LAG_MAX_MS), "min_insync_replicas": str(least)}
    async with replicated(data_dir, **config) as cluster:
        cluster.cluster.pause(3)
        for number in range(size):
            client = cluster.client(1)
            client.start(*produce(timeout_ms=TIMEOUT_MS), f"at-{number}")
            await wait_all_tasks_blocked()
            await trio.sleep(SPAN_MS / size / 1000)
        await trio.sleep(SPAN_MS / 1000)
        rows = []
        for number in range(size):
            [record] = kept_of(cluster, "Produce", f"at-{number}")
            [partition] = record["partitions"]
            name = ErrorCode(partition["error"]).name
            rows.append(Row(least, number * SPAN_MS // size, record["total_us"] / 1000, name))
        return rows


def check(rows: list[Row]) -> None:
    """Waits end when the ISR shrinks, or expire if it is then below min.insync.replicas."""
    enough, few = ([row for row in rows if row.min_insync_replicas == least] for least in (2, 3))
    waited = [row for row in enough if row.latency_ms > 0]
    ends_ms = [row.sent_at_ms + row.latency_ms for row in waited]
    assert 1 < len(waited) < len(enough)
    assert enough[: len(waited)] == waited, "a produce waits after the ISR has shrunk"
    assert max(ends_ms) - min(ends_ms) <= 1, ends_ms
    assert LAG_MAX_MS <= min(ends_ms) <= 2 * LAG_MAX_MS
    assert {row.error for row in enough} == {"NONE"}
    for row in few[: len(waited)]:
        assert row.error == "REQUEST_TIMED_OUT", row
        assert TIMEOUT_MS <= row.latency_ms <= TIMEOUT_MS + 2 * TICK_MS, row
    for row in few[len(waited) :]:
        assert (row.error, row.latency_ms) == ("NOT_ENOUGH_REPLICAS", 0), row


def plot(axes: Axes, rows: list[Row]) -> None:
    """The latency by the time of the produce, a line for each setting."""
    for least, style in ((2, "o-"), (3, "x--")):
        chosen = [row for row in rows if row.min_insync_replicas == least]
        axes.plot(
            [row.sent_at_ms for row in chosen],
            [row.latency_ms for row in chosen],
            style,
            label=f"min.insync.replicas={least}",
        )
    axes.axvline(LAG_MAX_MS, linestyle=":", color="#57606a")
    axes.set_xlabel("time of the produce after the follower has stopped, ms")
    axes.set_ylabel("latency, ms")
    axes.legend()


EXPERIMENT = Experiment(
    "shrinking_isr",
    "Produce latency while the ISR shrinks",
    "When a follower stops, produces with `acks=all` wait until the leader removes it from the "
    "ISR, and all of them complete at that time if the ISR still satisfies `min.insync.replicas`.",
    f"One of three replicas stops; `replica.lag.time.max.ms` is {LAG_MAX_MS} (dotted line), which "
    f"the leader checks periodically, and the timeout of a produce is {TIMEOUT_MS} ms. With "
    "`min.insync.replicas=3` the smaller ISR does not advance the high watermark, so the waiting "
    "produces expire with REQUEST_TIMED_OUT and later ones fail at once with NOT_ENOUGH_REPLICAS.",
    ("min.insync.replicas", "sent at, ms", "latency, ms", "error"),
    measure,
    check,
    plot,
    size=20,
    small_size=10,
    size_unit="produces",
)
