"""Protocol votes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.groups.classic.protocol_votes import SupportedProtocols
from tests.broker.groups.members import member, protocols_of

NAMES = st.lists(st.sampled_from("abcd"), min_size=1, unique=True)


def test_the_candidate_with_most_votes_is_selected() -> None:
    """A protocol that one member does not support is not a candidate."""
    supported = SupportedProtocols()
    members = [member("1", "x", "a", "b"), member("2", "b", "a"), member("3", "b", "a")]
    for each in members:
        supported.add(each.protocols)

    assert supported.select(members) == "b"


def test_a_tie_is_decided_by_the_first_vote() -> None:
    """The result is deterministic."""
    supported = SupportedProtocols()
    members = [member("1", "b", "a"), member("2", "a", "b")]
    for each in members:
        supported.add(each.protocols)

    assert supported.select(members) == "b"


def test_a_protocol_listed_twice_counts_once() -> None:
    """For the same member."""
    supported = SupportedProtocols()
    supported.add(protocols_of("a", "a"))

    assert supported.all_support_any(protocols_of("a"), 1)


@given(st.lists(NAMES, min_size=1), NAMES)
def test_a_protocol_is_supported_if_all_members_have_it(
    members: list[list[str]], leaver: list[str]
) -> None:
    """Members that have left do not count."""
    supported = SupportedProtocols()
    supported.add(protocols_of(*leaver))
    for names in members:
        supported.add(protocols_of(*names))
    supported.remove(protocols_of(*leaver))

    common = set.intersection(*map(set, members))
    for name in "abcd":
        assert supported.all_support_any(protocols_of(name), len(members)) == (name in common)
