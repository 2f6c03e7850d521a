"""The clock of a running cluster is frozen, moved and run at another speed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.clock_control.control import ClockControl, NodeTimer
from broker.clock_control.events import Event
from broker.common.adjustable_clock import AdjustableClock
from broker.common.errors import WrongState
from broker.common.timer import TICK_MS
from broker.wait_records.recorder import Recorder
from purgatories.timer.system_timer import SystemTimer
from tests.batches import batch
from tests.broker.clock_control.running_control import control_of
from tests.broker.replication.world import KEY
from tests.client import running_cluster
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio


async def test_nothing_expires_while_the_clock_is_frozen(tmp_path: Path) -> None:
    """A long poll is still parked after an hour."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", partitions=1)
        client = cluster.client(1)
        control_of(cluster).freeze()

        client.start(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
        await trio.sleep(3600)

        assert client.connection.in_progress is not None


async def test_an_advance_expires_what_is_due(tmp_path: Path) -> None:
    """At its own time, no earlier."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", partitions=1)
        client, control = cluster.client(1), control_of(cluster)
        control.freeze()
        client.start(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        await control.advance_by(499, 10)
        assert client.connection.in_progress is not None
        advance = await control.advance_by(2, 10)

        assert client.connection.in_progress is None
        assert [each.task for step in advance.steps for each in step.tasks] == ["DelayedFetch"]


async def test_an_advance_by_a_timeout_expires_what_began_before_it(tmp_path: Path) -> None:
    """Also if the clock was frozen between two ticks of the timer."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", partitions=1)
        client, control = cluster.client(1), control_of(cluster)
        for _ in range(3):
            await trio.sleep(0.00004)
            control.freeze()
            client.start(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
            await trio.testing.wait_all_tasks_blocked()

            advance = await control.advance_by(500, 10)

            assert client.connection.in_progress is None
            assert 500 <= advance.duration_ms < 500 + TICK_MS
            control.run()


async def test_an_advance_has_the_records_of_the_requests_that_ended(tmp_path: Path) -> None:
    """In the step of the task that ended them."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", partitions=1)
        client, control = cluster.client(1), control_of(cluster)
        client.start(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        advance = await control.advance_by(45_000, 100)

        (step,) = [step for step in advance.steps if step.responses]
        (record,) = step.responses
        assert record.to_dict()["api"] == "Fetch"
        assert step.after_ms == pytest.approx(500, abs=1.1)
        assert advance.duration_ms == pytest.approx(45_000)


async def test_a_running_clock_continues_after_an_advance(tmp_path: Path) -> None:
    """At its speed."""
    async with running_cluster(tmp_path, 1) as cluster:
        control, clock = control_of(cluster), cluster.cluster.clock
        began_ms = clock.now_ms()

        await control.advance_by(60_000, 10)
        await trio.sleep(1)

        assert clock.now_ms() == pytest.approx(began_ms + 61_000)


async def test_timers_follow_the_speed_of_the_clock(tmp_path: Path) -> None:
    """A long poll of 30 seconds ends after 3."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", partitions=1)
        client = cluster.client(1)
        control_of(cluster).run(10)

        began = trio.current_time()
        await client.send(fetch_request("t", 0, max_wait_ms=30_000), FETCH_VERSION)

        assert trio.current_time() - began == pytest.approx(3, abs=0.1)


async def test_replicas_stay_in_sync_during_an_advance(tmp_path: Path) -> None:
    """Followers fetch in each step, as they do while time passes."""
    async with running_cluster(tmp_path, 3) as cluster:
        cluster.controller.create_topic("t", partitions=1, replication_factor=3)
        await cluster.client(1).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)

        await control_of(cluster).advance_by(60_000, 10)

        leader_state = cluster.node(1).replicas.partitions[KEY].leader_state
        assert leader_state is not None
        assert set(leader_state.isr.committed) == {1, 2, 3}


async def test_an_advance_ends_when_its_event_has_happened(tmp_path: Path) -> None:
    """The clock stays at that time."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", partitions=1)
        client, control = cluster.client(1), control_of(cluster)
        control.freeze()
        began_ms = cluster.cluster.clock.now_ms()
        client.start(fetch_request("t", 0, max_wait_ms=700), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        event = Event("it", lambda: began_ms + 5000, lambda: client.connection.in_progress is None)
        await control.advance_to(event, 10)

        assert cluster.cluster.clock.now_ms() - began_ms == pytest.approx(700, abs=1.1)


async def test_an_event_that_does_not_happen_is_refused(tmp_path: Path) -> None:
    """After its latest time, with its name."""
    async with running_cluster(tmp_path, 1) as cluster:
        control = control_of(cluster)
        latest_ms = cluster.cluster.clock.now_ms() + 2000

        with pytest.raises(WrongState, match=r"the end of it did not happen in 2000 ms"):
            await control.advance_to(Event("the end of it", lambda: latest_ms, lambda: False), 10)


async def test_the_next_task_ends_an_advance(tmp_path: Path) -> None:
    """The tasks of one time run in one step."""
    async with running_cluster(tmp_path, 1) as cluster:
        control = control_of(cluster)
        control.freeze()

        advance = await control.advance_to_task(10)

        (step,) = advance.steps
        assert step.tasks
        assert step.after_ms == advance.duration_ms > 0


async def test_only_the_last_steps_are_kept(tmp_path: Path) -> None:
    """The others are counted."""
    async with running_cluster(tmp_path, 1) as cluster:
        advance = await control_of(cluster).advance_by(600_000, 2)

        assert len(advance.steps) == 2
        assert advance.steps_taken > 2
        assert advance.steps[-1].after_ms > 500_000


async def test_a_clock_that_is_frozen_during_an_advance_stays_frozen(tmp_path: Path) -> None:
    """The advance is completed first; a new speed is kept in the same way."""
    async with running_cluster(tmp_path, 1) as cluster:
        control = control_of(cluster)

        for adjust, speed in ((control.freeze, 0), (partial(control.run, 4), 4)):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(control.advance_by, 60_000, 1)
                await trio.testing.wait_all_tasks_blocked()
                adjust()
                assert control.clock.speed == 0
            assert control.clock.speed == speed


async def test_an_advance_to_a_task_is_refused_if_no_timer_holds_one() -> None:
    """The clock does not move."""
    clock = AdjustableClock()
    before_ms = clock.now_ms()
    idle = NodeTimer(None, SystemTimer("idle", now_ms=clock.now_ms))
    control = ClockControl(clock, lambda: [idle], None)

    with trio.fail_after(1), pytest.raises(WrongState, match="no timer holds a task"):
        await control.advance_to_task(1)

    assert clock.now_ms() == pytest.approx(before_ms)
