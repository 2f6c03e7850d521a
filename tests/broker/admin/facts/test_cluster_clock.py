"""The clock of a running cluster in the admin interface."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.admin.facts.cluster_clock import ClusterClock
from broker.clock_control.events import request_timeout
from broker.wait_records.recorder import Recorder
from tests.client import EPOCH_MS, running_cluster
from tests.requests import FETCH_VERSION, fetch_request

pytestmark = pytest.mark.anyio


async def test_the_state_has_the_time_and_the_next_timer(tmp_path: Path) -> None:
    """A frozen clock has the speed 0."""
    async with running_cluster(tmp_path, 1) as cluster:
        clock = ClusterClock(cluster.cluster)
        running, frozen = clock.state(), clock.freeze()
        await trio.sleep(10)

        assert (running["state"], running["speed"]) == ("running", 1)
        assert running["now_us"] == pytest.approx(EPOCH_MS * 1000, abs=1)
        assert running["next"]["node"] == 1
        assert running["next"]["timer"] == "node"
        assert (frozen["state"], frozen["speed"]) == ("frozen", 0)
        assert clock.state() == frozen
        assert clock.run(2)["speed"] == 2


async def test_an_advance_lists_its_steps(tmp_path: Path) -> None:
    """The tasks of timers with their nodes, and the records of requests that ended."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", partitions=1)
        clock, client = ClusterClock(cluster.cluster), cluster.client(1)
        clock.freeze()
        client.start(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        advanced = await clock.advance_to(lambda nodes: request_timeout(nodes, None, None, None), 1)

        assert advanced["advanced_ms"] == pytest.approx(500, abs=1.1)
        (step,) = advanced["steps"]
        assert step["tasks"] == [{"node": 1, "timer": "Fetch", "task": "DelayedFetch"}]
        assert [each["api"] for each in step["responses"]] == ["Fetch"]
        assert advanced["tasks_run"] == 1
        assert advanced["steps_omitted"] == 0
        assert advanced["clock"] == clock.state()


async def test_the_steps_that_are_omitted_are_counted(tmp_path: Path) -> None:
    """The last ones are listed."""
    async with running_cluster(tmp_path, 1) as cluster:
        clock = ClusterClock(cluster.cluster)
        clock.freeze()

        advanced = await clock.advance_by(120_000, 1)
        following = await clock.advance_to_task(1)

        assert len(advanced["steps"]) == 1
        assert advanced["steps_omitted"] > 0
        assert following["steps_omitted"] == 0
