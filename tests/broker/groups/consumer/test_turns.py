"""Long work of a group, one piece at a time."""

from __future__ import annotations

from broker.groups.consumer.turns import Turns


def test_work_of_a_group_waits_for_its_turn() -> None:
    """It may begin when the work before it has ended; that of other groups need not wait."""
    turns = Turns()
    list(turns.take("g"))

    second = turns.take("g")
    ended = next(second)
    assert ended is not None
    assert not ended.is_set
    assert list(turns.take("h")) == []
    turns.give_up("g")
    assert ended.is_set
    assert list(second) == []


def test_whoever_comes_first_has_the_turn() -> None:
    """A second one that was waiting waits for the next end, too."""
    turns = Turns()
    list(turns.take("g"))
    second, third = turns.take("g"), turns.take("g")
    waits = [next(second), next(third)]
    turns.give_up("g")

    assert all(each is not None and each.is_set for each in waits)
    assert list(second) == []
    ended = next(third)
    assert ended is not None
    assert not ended.is_set
