"""Locks of groups."""

from __future__ import annotations

from broker.groups.group_locks import GroupLocks


def test_a_locked_group_is_waited_for() -> None:
    """Other groups are not locked."""
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


def test_the_first_waiting_work_gets_the_lock() -> None:
    """The others wait for the next release."""
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
