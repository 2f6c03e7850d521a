"""Reader."""

from __future__ import annotations

from broker.groups.consumer.regex.reader import Reader
from protocol.lazy_pattern import LazyPattern


def test_one_character_at_a_time() -> None:
    """`peek` does not read."""
    reader = Reader("ab")

    assert (reader.peek, reader.peek, reader.next(), reader.next()) == ("a", "a", "a", "b")
    assert reader.at_end


def test_an_empty_pattern_is_at_its_end() -> None:
    """There is no next character."""
    assert Reader("").at_end


def test_take_reads_the_text_if_it_is_next() -> None:
    """Otherwise nothing is read."""
    reader = Reader("abc")

    assert not reader.take("bc")
    assert reader.take("ab")
    assert reader.starts_with("c")
    assert not reader.starts_with("cd")


def test_until_reads_up_to_a_text_and_skips_it() -> None:
    """Or to the end if the text is not found."""
    reader = Reader(r"a.b\Ecd")

    assert reader.until(r"\E") == "a.b"
    assert reader.until(r"\E") == "cd"
    assert reader.at_end


def test_matches_does_not_read() -> None:
    """The match must begin at the present position."""
    reader, digits = Reader("a12b"), LazyPattern(r"\d+")
    assert reader.matches(digits) is None
    reader.next()
    found = reader.matches(digits)

    assert found is not None
    assert found[0] == "12"
    reader.skip(2)
    assert reader.peek == "b"
