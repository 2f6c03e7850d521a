"""The waits of a rebalance with one slow member."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio
from trio.testing import wait_all_tasks_blocked

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.virtual import in_virtual_time
from broker.common.timer import TICK_MS
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.wait_records.recorder import Recorder
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.broker.wait_records.group_members import JOIN_VERSION, join
from tests.broker.wait_records.records import kept_of
from tests.client import Client, running_cluster

if TYPE_CHECKING:
    from matplotlib.axes import Axes

JOIN, SYNC = "join of a member", "assignment of the leader"
SYNC_VERSION = 3
STEP_MS = 1000
REBALANCE_TIMEOUT_MS = join().rebalance_timeout_ms
LEADER, FAST, SLOW = "leader", "fast", "slow"  # client ids


class Row(NamedTuple):
    """One rebalance: what was slow, by how much, and the waits of the fast member, in ms."""

    slow: str
    slow_ms: int
    join_ms: float
    sync_ms: float


class _Members:
    """Three members, each with its connection; the first one is the leader of the group."""

    def __init__(self, clients: dict[str, Client]) -> None:
        self._clients = clients
        self._ids = dict.fromkeys(clients, "")
        self._generation = 0

    async def join(self, slow_ms: int) -> None:
        """Send all joins, the slow one later unless the others end before; read the responses."""
        joining = [LEADER, FAST]
        for name in joining:
            await self._start_join(name)
        if slow_ms < REBALANCE_TIMEOUT_MS:
            await trio.sleep(slow_ms / 1000)
            await self._start_join(SLOW)
            joining.append(SLOW)
        for name in joining:
            response = await self._clients[name].receive()
            self._ids[name] = response.member_id
            self._generation = max(self._generation, response.generation_id)

    async def sync(self, slow_ms: int) -> None:
        """Send the sync of the fast member, later that of the leader, and read the responses."""
        self._clients[FAST].start(self._sync(FAST), SYNC_VERSION, FAST)
        await wait_all_tasks_blocked()
        await trio.sleep(slow_ms / 1000)
        await self._clients[LEADER].send(self._sync(LEADER), SYNC_VERSION, LEADER)
        await self._clients[FAST].receive()

    async def _start_join(self, name: str) -> None:
        self._clients[name].start(join(self._ids[name]), JOIN_VERSION, name)
        await wait_all_tasks_blocked()

    def _sync(self, name: str) -> SyncGroupRequest:
        assignments = [
            SyncGroupRequestAssignment(member_id=member_id, assignment=b"some")
            for member_id in self._ids.values()
            if name == LEADER
        ]
        return SyncGroupRequest(
            group_id="g",
            generation_id=self._generation,
            member_id=self._ids[name],
            assignments=assignments,
        )


def measure(size: int) -> list[Row]:
    """*size* delays in each of the two phases; those of the assignment end before the timeout."""
    cases = [(JOIN, STEP_MS * number + STEP_MS // 2) for number in range(size)]
    cases += [(SYNC, slow_ms) for _, slow_ms in cases if slow_ms < REBALANCE_TIMEOUT_MS]
    return [in_virtual_time(partial(_rebalance, slow, slow_ms)) for slow, slow_ms in cases]


async def _rebalance(slow: str, slow_ms: int, data_dir: Path) -> Row:
    async with running_cluster(
        data_dir, 1, recorder=Recorder, group_initial_rebalance_delay_ms=str(STEP_MS)
    ) as cluster:
        ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
        members = _Members({name: cluster.client(1) for name in (LEADER, FAST, SLOW)})
        await members.join(0)
        await members.sync(0)
        # The leader joins again, so the group rebalances.
        await members.join(slow_ms if slow == JOIN else 0)
        await members.sync(slow_ms if slow == SYNC else 0)
        joined = kept_of(cluster, "JoinGroup", FAST)[-1]
        synced = kept_of(cluster, "SyncGroup", FAST)[-1]
    return Row(slow, slow_ms, joined["parked_us"] / 1000, synced["parked_us"] / 1000)


def check(rows: list[Row]) -> None:
    """The fast member waits in the slow phase only, as long as that takes or until the timeout."""
    for row in rows:
        slow, other = (row.join_ms, row.sync_ms) if row.slow == JOIN else row[:1:-1]
        expected_ms = min(row.slow_ms, REBALANCE_TIMEOUT_MS)
        assert expected_ms <= slow <= expected_ms + 2 * TICK_MS, row
        assert other <= 2 * TICK_MS, row


def plot(axes: Axes, rows: list[Row]) -> None:
    """The waits of the fast member by the delay."""
    joins, syncs = ([row for row in rows if row.slow == slow] for slow in (JOIN, SYNC))
    axes.plot(
        [row.slow_ms for row in joins],
        [row.join_ms for row in joins],
        "o-",
        label=f"JoinGroup, slow {JOIN}",
    )
    axes.plot(
        [row.slow_ms for row in syncs],
        [row.sync_ms for row in syncs],
        "x--",
        label=f"SyncGroup, slow {SYNC}",
    )
    axes.axhline(REBALANCE_TIMEOUT_MS, linestyle=":", color="#57606a")
    axes.set_xlabel("delay, ms")
    axes.set_ylabel("wait of the fast member, ms")
    axes.legend()


EXPERIMENT = Experiment(
    "rebalance",
    "A rebalance with one slow member",
    "In a rebalance every member waits in JoinGroup for the slowest one, at most for the rebalance "
    "timeout, and in SyncGroup for the assignment of the leader.",
    "Three members of a classic group join again; either one member sends its JoinGroup late, or "
    "the leader sends its SyncGroup late, and the waits are those of a member that is never late. "
    f"The rebalance timeout is {REBALANCE_TIMEOUT_MS} ms (dotted line): the coordinator then "
    "completes the rebalance without the slow member.",
    ("slow", "by, ms", "JoinGroup parked, ms", "SyncGroup parked, ms"),
    measure,
    check,
    plot,
    size=7,
    small_size=6,
    size_unit="delays",
)
