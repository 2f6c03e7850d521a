"""Measuring the steps of the loop."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.api.request import Request
from broker.api.table import ALL_APIS
from broker.common.clock import TrioClock
from broker.steps.limits import STEP_BUDGET_MS
from broker.steps.queue import StepQueue
from broker.steps.stalls import Stalls
from broker.steps.watchdog import Watchdog
from broker.wait_records.recorder import Recorder
from protocol.headers import RequestHeader
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster

pytestmark = pytest.mark.anyio


class World:
    """A watchdog with a clock that tests advance."""

    def __init__(self) -> None:
        self.ms = 0.0
        self.steps = StepQueue(self.now_ms)
        self.stalls = Stalls(int)
        self.watchdog = Watchdog(self.steps, self.stalls, self.now_ms)

    def now_ms(self) -> float:
        return self.ms

    def step(self, took_ms: float) -> None:
        """A step of the present task."""
        task = trio.lowlevel.current_task()
        self.watchdog.before_task_step(task)
        self.ms += took_ms
        self.watchdog.after_task_step(task)


async def test_a_step_over_budget_is_reported() -> None:
    """A step of exactly the budget is not."""
    world = World()
    world.step(STEP_BUDGET_MS)
    assert world.stalls.count == 0

    world.step(STEP_BUDGET_MS + 1)
    assert (world.stalls.count, world.stalls.longest_ms) == (1, STEP_BUDGET_MS + 1)


async def test_the_request_of_a_step_is_not_that_of_the_next() -> None:
    """A request that began in one step is not reported for the next."""
    world = World()
    world.steps.request = RequestHeader(3, 12, 1, "c")
    world.step(1)
    world.step(50)

    [last] = world.stalls.statistics()["last"]
    assert last["api"] is None


async def test_the_aftermath_ends_after_two_passes() -> None:
    """Requests that arrive during the step are read in one of them."""
    world = World()
    world.step(50)
    seen = []
    for _ in range(4):
        seen.append(world.stalls.aftermath is not None)
        await trio.lowlevel.checkpoint()

    assert seen == [True, True, True, False]


async def test_records_name_the_step_that_a_request_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of requests read after it; not of its own request or later ones."""
    late_ms, now_ms = [0.0], TrioClock.now_ms
    monkeypatch.setattr(TrioClock, "now_ms", lambda clock: now_ms(clock) + late_ms[0])
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        guilty, waiting = cluster.client(1), cluster.client(1)

        def stalling(_request: Request[HeartbeatRequest]) -> HeartbeatResponse:
            late_ms[0] += 50
            waiting.start(ApiVersionsRequest(), 2, "other")
            return HeartbeatResponse()

        monkeypatch.setitem(ALL_APIS.loaded, 12, (HeartbeatRequest, stalling))
        await trio.testing.wait_all_tasks_blocked()
        guilty.start(HeartbeatRequest(group_id="g", generation_id=1, member_id="m"), 4, "admin")
        await guilty.receive()
        await waiting.receive()
        await trio.testing.wait_all_tasks_blocked()
        await waiting.send(ApiVersionsRequest(), 2, "other")

        [own] = kept_of(cluster, "Heartbeat", "admin")
        behind, later = kept_of(cluster, "ApiVersions", "other")
        assert own["stalled_by"] is None
        assert behind["stalled_by"] == {
            "api": "Heartbeat",
            "client_id": "admin",
            "correlation_id": 1,
            "ms": 50,
        }
        assert later["stalled_by"] is None
