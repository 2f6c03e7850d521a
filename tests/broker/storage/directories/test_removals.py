"""Tests of removing directories in a thread: `broker.storage.directories.removals`."""

from __future__ import annotations

from broker.storage.directories.removals import DIRECTORIES_PER_RUN, Removals
from broker.storage.files.blocking_work import Inline, Then, Work


class Later(Inline):
    """Work that runs when the test requires it."""

    def __init__(self) -> None:
        self.kept: list[tuple[Work, Then]] = []

    def run(self, work: Work, then: Then) -> None:
        """Store the work."""
        self.kept.append((work, then))

    def do_next(self) -> None:
        """Run the oldest work."""
        work, then = self.kept.pop(0)
        work()
        then(None)


def test_many_directories_are_removed_per_run() -> None:
    """One thread at a time, regardless of their number."""
    blocking_work, removed = Later(), list[int]()
    removals = Removals(blocking_work)
    for index in range(DIRECTORIES_PER_RUN + 11):
        removals.add(lambda index=index: removed.append(index))  # type: ignore[misc]  # a default binds it

    sizes = []
    while blocking_work.kept:
        assert len(blocking_work.kept) == 1
        before = len(removed)
        blocking_work.do_next()
        sizes.append(len(removed) - before)

    assert removed == list(range(DIRECTORIES_PER_RUN + 11))
    assert sizes == [1, DIRECTORIES_PER_RUN, 10]


def test_a_later_directory_starts_another_run() -> None:
    """After all others have been removed."""
    blocking_work, removed = Later(), list[str]()
    removals = Removals(blocking_work)
    for name in ("a", "b"):
        removals.add(lambda name=name: removed.append(name))  # type: ignore[misc]  # a default binds it
        blocking_work.do_next()

    assert removed == ["a", "b"]
