"""Folders that are removed in a thread."""

from __future__ import annotations

from broker.storage.background import Inline, Then, Work
from broker.storage.removals import DIRECTORIES_PER_RUN, Removals


class Later(Inline):
    """Keeps what it is to do."""

    def __init__(self) -> None:
        self.kept: list[tuple[Work, Then]] = []

    def run(self, work: Work, then: Then) -> None:
        """Keep it."""
        self.kept.append((work, then))

    def do_next(self) -> None:
        """Do what was kept first."""
        work, then = self.kept.pop(0)
        work()
        then(None)


def test_folders_are_removed_a_few_at_a_time() -> None:
    """However many are due at once, one thread is at work."""
    background, removed = Later(), list[int]()
    removals = Removals(background)
    for index in range(DIRECTORIES_PER_RUN + 11):
        removals.add(lambda index=index: removed.append(index))  # type: ignore[misc]  # a default binds it

    sizes = []
    while background.kept:
        assert len(background.kept) == 1
        before = len(removed)
        background.do_next()
        sizes.append(len(removed) - before)

    assert removed == list(range(DIRECTORIES_PER_RUN + 11))
    assert sizes == [1, DIRECTORIES_PER_RUN, 10]


def test_one_that_comes_when_all_is_done_is_removed_too() -> None:
    """The thread's work begins again."""
    background, removed = Later(), list[str]()
    removals = Removals(background)
    for name in ("a", "b"):
        removals.add(lambda name=name: removed.append(name))  # type: ignore[misc]  # a default binds it
        background.do_next()

    assert removed == ["a", "b"]
