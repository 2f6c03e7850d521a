"""The collections of garbage while many objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from broker.process.garbage_collection import (
    IS_INCREMENTAL,
    configure_garbage_collection,
    excluded_from_garbage_collection,
)

OBJECTS = 1_500_000


@pytest.fixture
def visited() -> Iterator[list[int]]:
    """The number of objects that each later collection visits."""
    counts: list[int] = []
    thresholds = gc.get_threshold()
    configure_garbage_collection()

    def collect(phase: str, facts: dict[str, int]) -> None:
        if phase == "start":
            generations = range(facts["generation"] + 1)
            counts.append(sum(len(gc.get_objects(generation=each)) for each in generations))

    gc.callbacks.append(collect)
    yield counts
    gc.callbacks.remove(collect)
    gc.set_threshold(*thresholds)
    gc.unfreeze()


def test_no_collection_visits_excluded_objects(visited: list[int]) -> None:
    """Neither while they are created nor in a complete collection."""
    with excluded_from_garbage_collection():
        kept = [[each] for each in range(OBJECTS // 10)]
    gc.collect()

    assert len(kept) == OBJECTS // 10
    assert len(visited) == 1
    assert visited[0] < len(kept) / 10


@pytest.mark.skipif(IS_INCREMENTAL, reason="a collection visits a part of a generation")
def test_no_collection_visits_very_many_new_objects(visited: list[int]) -> None:
    """Each collection is a step of the loop, in which no request is served."""
    kept = [[each] for each in range(OBJECTS)]

    assert len(kept) == OBJECTS
    assert sum(visited) > OBJECTS
    assert max(visited) < 100_000
