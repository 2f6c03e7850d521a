"""Resolution of regular expressions in threads, one resolution at a time for each group."""

from __future__ import annotations

from typing import Any

import pytest

from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.regex_resolution import RegexResolution, Resolved, matching
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.steps.offload import Inline
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.broker.groups.consumer.books import group_of, image_of, member
from tests.held_offload import HeldOffload
from tests.purgatories.manual_clock import ManualClock

REGEXES = ("t.*", "u", "v|t")


class World:
    """A group with three regular expressions; ``results`` are the resolved topics."""

    def __init__(self, offload: Any) -> None:
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        members = [member(f"m{each}", subscribed_topic_regex=each) for each in REGEXES]
        self.group: ConsumerGroup | None = group_of(*members)
        self.topics = CoordinatorMetadataImage(lambda: image_of(t=1, u=1))
        self.results: list[Resolved] = []
        self.resolution = RegexResolution(
            CoordinatorTimer(self._timer, ActionQueue()),
            offload,
            self.topics,
            lambda _: self.group,
            lambda _, resolved: self.results.append(resolved),
        )

    def tick(self) -> None:
        """Run the due timer tasks."""
        self._clock.advance_to(self._clock.now_ms + 1, self._timer)


FOUND = {"t.*": frozenset("t"), "u": frozenset("u"), "v|t": frozenset("t")}


def test_without_threads_all_are_resolved_in_one_step() -> None:
    """As in tools and tests."""
    world = World(Inline())
    world.resolution.schedule("g")
    assert world.resolution.is_pending("g")
    world.tick()
    world.tick()

    assert world.results == [Resolved(FOUND, 0)]
    assert not world.resolution.is_pending("g")


def test_each_expression_is_a_separate_computation() -> None:
    """The version is that of the topic names at the beginning."""
    threads = HeldOffload()
    world = World(threads)
    world.resolution.schedule("g")
    world.tick()
    world.topics.version += 1
    for _ in REGEXES:
        assert len(threads.jobs) == 1
        assert world.resolution.is_pending("g")
        threads.finish_next()
    world.tick()

    assert not threads.jobs
    assert world.results == [Resolved(FOUND, 0)]


@pytest.mark.parametrize("steps", range(len(REGEXES) + 1))
def test_a_cancelled_resolution_has_no_result(steps: int) -> None:
    """At any stage."""
    threads = HeldOffload()
    world = World(threads)
    world.resolution.schedule("g")
    world.tick()
    for _ in range(steps):
        threads.finish_next()
    world.resolution.cancel("g")
    for _ in range(len(threads.jobs)):
        threads.finish_next()
    world.tick()

    assert world.results == []
    assert not threads.jobs
    assert not world.resolution.is_pending("g")


def test_the_results_for_a_deleted_group_are_dropped() -> None:
    """It was deleted before or during the resolution."""
    threads = HeldOffload()
    world = World(threads)
    group, world.group = world.group, None
    world.resolution.schedule("g")
    world.tick()
    assert not threads.jobs

    world.group = group
    world.resolution.schedule("g")
    world.tick()
    for _ in REGEXES:
        threads.finish_next()
    world.group = None
    world.tick()

    assert world.results == []


def test_an_invalid_expression_matches_nothing() -> None:
    """Another broker may have accepted it."""
    assert matching("(", ["t", "("]) == frozenset()
