"""Long work of a group, one piece at a time."""

from __future__ import annotations

from broker.groups.consumer.group_locks import GroupLocks


def test_work_of_a_group_waits_for_its_turn() -> None:
    """It may begin when the work before it has ended; that of other groups need not wait."""
    locks = GroupLocks()
    list(locks.acquire("g"))

    second = locks.acquire("g")
    ended = next(second)
    assert ended is not None
    assert not ended.is_set
    assert list(locks.acquire("h")) == []
    locks.release("g")
    assert ended.is_set
    assert list(second) == []


def test_whoever_comes_first_has_the_turn() -> None:
    """A second one that was waiting waits for the next end, too."""
    locks = GroupLocks()
    list(locks.acquire("g"))
    second, third = locks.acquire("g"), locks.acquire("g")
    waits = [next(second), next(third)]
    locks.release("g")

    assert all(each is not None and each.is_set for each in waits)
    assert list(second) == []
    ended = next(third)
    assert ended is not None
    assert not ended.is_set
