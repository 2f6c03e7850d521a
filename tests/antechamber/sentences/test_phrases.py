"""Parts of English sentences."""

from __future__ import annotations

import pytest

from antechamber.sentences import phrases


@pytest.mark.parametrize(("count", "words"), [(1, "1 byte"), (0, "0 bytes"), (1204, "1,204 bytes")])
def test_a_unit_is_singular_after_one(count: int, words: str) -> None:
    """Numbers have separators of thousands."""
    assert phrases.counted(count, "byte") == words


@pytest.mark.parametrize(
    ("principal", "listener", "words"),
    [
        ("User:alice", "CLIENTS", " (User:alice, listener CLIENTS)"),
        ("User:alice", None, " (User:alice)"),
        ("User:ANONYMOUS", "PLAINTEXT", ""),
        (None, None, ""),
    ],
)
def test_an_authenticated_client_is_named(
    principal: str | None, listener: str | None, words: str
) -> None:
    """A proxy may know the principal only; an anonymous client has no other name."""
    assert phrases.authenticated({"principal": principal, "listener": listener}) == words


def test_a_record_without_a_principal_names_none() -> None:
    """Those of older brokers."""
    assert phrases.authenticated({"client_id": "billing"}) == ""


@pytest.mark.parametrize(("count", "words"), [(0, "never"), (2, "twice"), (6, "6 times")])
def test_small_numbers_of_times_are_words(count: int, words: str) -> None:
    """Up to five."""
    assert phrases.times(count) == words


@pytest.mark.parametrize(
    ("given", "listed"), [("a", "a"), ("abc", "a, b and c"), ("abcde", "a, b, c and 2 more")]
)
def test_a_long_list_is_shortened(given: str, listed: str) -> None:
    """After three items."""
    assert phrases.some(given) == listed
