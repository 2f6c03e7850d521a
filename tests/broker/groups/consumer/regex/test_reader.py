"""A pattern is handed out piece by piece."""

from __future__ import annotations

import re

from broker.groups.consumer.regex.reader import Reader


def test_one_character_at_a_time() -> None:
    """Looking does not read."""
    reader = Reader("ab")

    assert (reader.peek, reader.peek, reader.next(), reader.next()) == ("a", "a", "a", "b")
    assert reader.at_end


def test_an_empty_pattern_is_at_its_end() -> None:
    """There is nothing to look at."""
    assert Reader("").at_end


def test_what_comes_next_is_taken_if_it_is_what_was_asked_for() -> None:
    """Otherwise nothing is read."""
    reader = Reader("abc")

    assert not reader.take("bc")
    assert reader.take("ab")
    assert reader.starts_with("c")
    assert not reader.starts_with("cd")


def test_up_to_a_mark_and_over_it() -> None:
    """Or to the end, if there is none."""
    reader = Reader(r"a.b\Ecd")

    assert reader.until(r"\E") == "a.b"
    assert reader.until(r"\E") == "cd"
    assert reader.at_end


def test_what_matches_is_read_only_when_it_is_skipped() -> None:
    """It must begin here, not later."""
    reader, digits = Reader("a12b"), re.compile(r"\d+")
    assert reader.matches(digits) is None
    reader.next()
    found = reader.matches(digits)

    assert found is not None
    assert found[0] == "12"
    reader.skip(2)
    assert reader.peek == "b"
