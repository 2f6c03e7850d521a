"""The clock of a cluster in the admin interface: its state, its adjustments and their results."""

from __future__ import annotations

from functools import partial

from broker.admin.facts.clock_facts import FindEvent
from broker.admin.facts.json_object import JsonObject
from broker.clock_control.advance import Advance, Step
from broker.clock_control.control import ClockControl, NodeTimer
from broker.cluster import Cluster


class ClusterClock:
    """All methods are those of `ClockFacts`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._control = ClockControl(
            cluster.clock, partial(cluster_timers, cluster), cluster.recorder
        )

    def state(self) -> JsonObject:
        """See `ClockFacts`."""
        clock, following = self._control.clock, self._control.next_timer()
        return {
            "state": "running" if clock.speed else "frozen",
            "speed": clock.speed,
            "now_us": clock.wall_us_at(clock.now_ms()),
            "next": None if following is None else _next(clock.now_ms(), following),
        }

    def freeze(self) -> JsonObject:
        """See `ClockFacts`."""
        self._control.freeze()
        self._cluster.changes.notify()
        return self.state()

    def run(self, speed: float) -> JsonObject:
        """See `ClockFacts`."""
        self._control.run(speed)
        self._cluster.changes.notify()
        return self.state()

    async def advance_by(self, duration_ms: int, steps_max: int) -> JsonObject:
        """See `ClockFacts`."""
        return self._result(await self._control.advance_by(duration_ms, steps_max))

    async def advance_to_task(self, steps_max: int) -> JsonObject:
        """See `ClockFacts`."""
        return self._result(await self._control.advance_to_task(steps_max))

    async def advance_to(self, find: FindEvent, steps_max: int) -> JsonObject:
        """See `ClockFacts`."""
        event = find(self._cluster.nodes)
        return self._result(await self._control.advance_to(event, steps_max))

    def _result(self, advance: Advance) -> JsonObject:
        self._cluster.changes.notify()
        return {
            "advanced_ms": round(advance.duration_ms, 3),
            "tasks_run": advance.tasks_run,
            "steps": [_step(each) for each in advance.steps],
            "steps_omitted": advance.steps_taken - len(advance.steps),
            "clock": self.state(),
        }


def cluster_timers(cluster: Cluster) -> list[NodeTimer]:
    """All timers that read the clock of *cluster*; a started node has new ones."""
    of_nodes = [NodeTimer(node.id, timer) for node in cluster.nodes for timer in node.timers()]
    return [NodeTimer(None, cluster.timer), *of_nodes]


def _next(now_ms: float, following: NodeTimer) -> JsonObject:
    node_id, timer = following
    left_ms = max(0.0, timer.next_expiration_ms - now_ms)
    return {"in_ms": round(left_ms, 3), "node": node_id, "timer": timer.name}


def _step(step: Step) -> JsonObject:
    return {
        "after_ms": round(step.after_ms, 3),
        "tasks": [
            {"node": each.node_id, "timer": each.timer, "task": each.task} for each in step.tasks
        ],
        "responses": [record.to_dict() for record in step.responses],
    }
