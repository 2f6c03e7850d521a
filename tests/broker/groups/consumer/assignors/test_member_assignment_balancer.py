"""Member assignment balancer (of ``UniformHeterogeneousAssignmentBuilder``)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.groups.consumer.assignors.member_assignment_balancer import MemberAssignmentBalancer


def test_the_least_loaded_come_first() -> None:
    """In ascending order of their indexes if their loads are equal."""
    loads = [2, 0, 1, 0]
    balancer = MemberAssignmentBalancer(range(4), loads)
    order = []
    for _ in range(7):
        member = balancer.next_least_loaded()
        loads[member] += 1
        order.append(member)

    assert order == [1, 3, 1, 3, 2, 1, 3]


def test_the_most_loaded_come_first() -> None:
    """In descending order of their indexes if their loads are equal."""
    loads = [2, 0, 1, 2]
    balancer = MemberAssignmentBalancer(range(4), loads)
    order = []
    for _ in range(4):
        member = balancer.next_most_loaded()
        assert member is not None
        loads[member] -= 1
        order.append(member)

    assert order[:2] == [3, 0]
    assert sorted(order[2:]) != [1, 1]


def test_the_imbalance_is_the_difference_of_loads() -> None:
    """Only between the given members."""
    assert MemberAssignmentBalancer([0, 2], [5, 100, 3]).imbalance == 2
    assert MemberAssignmentBalancer([1], [5, 100, 3]).imbalance == 0


def test_an_excluded_member_is_not_returned() -> None:
    """Its load is from other topics; None is returned when all are excluded."""
    balancer = MemberAssignmentBalancer(range(3), [1, 3, 2])
    called = []
    while (member := balancer.next_most_loaded()) is not None:
        called.append(member)
        balancer.exclude_most_loaded()

    assert called == [1, 2, 0]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12))
def test_moves_until_balanced_balance_the_loads(loads: list[int]) -> None:
    """The sum is unchanged, and loads differ by one at most."""
    total = sum(loads)
    balancer = MemberAssignmentBalancer(range(len(loads)), loads)
    for _ in range(total + 1):
        giver, taker = balancer.next_most_loaded(), balancer.next_least_loaded()
        assert giver is not None
        if balancer.is_balanced:
            break
        loads[giver] -= 1
        loads[taker] += 1

    assert sum(loads) == total
    assert max(loads) - min(loads) <= 1
