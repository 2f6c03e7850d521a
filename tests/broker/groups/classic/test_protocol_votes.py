"""Protocol votes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.groups.classic.protocol_votes import SupportedProtocols
from tests.broker.groups.members import known, member

NAMES = st.lists(st.sampled_from("abcd"), min_size=1, unique=True)


def test_most_votes_win_among_what_everybody_supports() -> None:
    """A favourite that somebody does not know is no candidate."""
    supported = SupportedProtocols()
    members = [member("1", "x", "a", "b"), member("2", "b", "a"), member("3", "b", "a")]
    for each in members:
        supported.add(each.protocols)

    assert supported.select(members) == "b"


def test_a_tie_goes_to_who_voted_first() -> None:
    """The outcome does not depend on anything random."""
    supported = SupportedProtocols()
    members = [member("1", "b", "a"), member("2", "a", "b")]
    for each in members:
        supported.add(each.protocols)

    assert supported.select(members) == "b"


def test_a_name_listed_twice_counts_once() -> None:
    """A member is one supporter, however often it says so."""
    supported = SupportedProtocols()
    supported.add(known("a", "a"))

    assert supported.all_support_any(known("a"), 1)


@given(st.lists(NAMES, min_size=1), NAMES)
def test_support_is_what_all_members_have_in_common(
    members: list[list[str]], leaver: list[str]
) -> None:
    """Members that came and went leave no trace."""
    supported = SupportedProtocols()
    supported.add(known(*leaver))
    for names in members:
        supported.add(known(*names))
    supported.remove(known(*leaver))

    common = set.intersection(*map(set, members))
    for name in "abcd":
        assert supported.all_support_any(known(name), len(members)) == (name in common)
