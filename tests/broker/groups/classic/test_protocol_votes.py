"""Protocol votes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.groups.classic.protocol_votes import SupportedProtocols
from tests.broker.groups.members import member

NAMES = st.lists(st.sampled_from("abcd"), min_size=1, unique=True)


def test_the_candidate_with_most_votes_is_selected() -> None:
    """A protocol that one member does not support is not a candidate."""
    supported = SupportedProtocols()
    members = [member("1", "x", "a", "b"), member("2", "b", "a"), member("3", "b", "a")]
    for each in members:
        supported.add(each.protocol_names)

    assert supported.select(members) == "b"


@pytest.mark.parametrize(
    ("first", "second", "selected"),
    [
        ("cooperative-sticky", "range", "range"),
        ("roundrobin", "range", "range"),
        ("range", "sticky", "sticky"),
        ("b", "a", "a"),
    ],
)
def test_a_tie_is_decided_by_the_order_of_a_hash_table(
    first: str, second: str, selected: str
) -> None:
    """It does not matter which member joins first."""
    for names in ((first, second), (second, first)):
        supported = SupportedProtocols()
        members = [member("1", *names), member("2", *reversed(names))]
        for each in members:
            supported.add(each.protocol_names)

        assert supported.select(members) == selected


def test_the_hash_table_of_a_tie_has_the_votes_and_not_all_candidates() -> None:
    """Kafka 4.3.1 selects n13; in a table of all candidates n1 would precede it."""
    others = [f"x{number}" for number in range(30)]
    supported = SupportedProtocols()
    members = [member("1", "n1", "n13", *others), member("2", "n13", "n1", *others)]
    for each in members:
        supported.add(each.protocol_names)

    assert supported.select(members) == "n13"


def test_a_group_without_members_supports_any_protocol() -> None:
    """But not a member without protocols."""
    supported = SupportedProtocols()

    assert supported.all_support_any(frozenset("a"))
    assert not supported.all_support_any(frozenset())


def test_many_protocols_are_compared_once_by_all_members_that_have_the_same() -> None:
    """Their names are hashed when the request is read, and not when its group changes."""
    supported = SupportedProtocols()
    hashed: list[str] = []

    class Name(str):
        __slots__ = ()

        def __hash__(self) -> int:
            hashed.append(self)
            return super().__hash__()

    names = frozenset(Name(f"p{number}") for number in range(100))
    supported.add(names)
    hashed.clear()
    supported.add(names)
    supported.remove(names)

    assert supported.all_support_any(frozenset(["p1"]))
    assert hashed == []


@given(st.lists(NAMES, min_size=1), NAMES)
def test_a_protocol_is_supported_if_all_members_have_it(
    members: list[list[str]], leaver: list[str]
) -> None:
    """Members that have left do not count."""
    supported = SupportedProtocols()
    supported.add(frozenset(leaver))
    for names in members:
        supported.add(frozenset(names))
    supported.remove(frozenset(leaver))

    common = set.intersection(*map(set, members))
    for name in "abcd":
        assert supported.all_support_any(frozenset(name)) == (name in common)
