"""Patterns and their trees; errors have RE2/J's messages."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.groups.consumer.regex.char_set import folded, one
from broker.groups.consumer.regex.parser import DEPTH_MAX, parse
from broker.groups.consumer.regex.syntax import (
    Assertion,
    Chars,
    Choice,
    InvalidRegex,
    Place,
    Repeat,
    Sequence,
)

A, B = Chars(one("a")), Chars(one("b"))


def test_sequences() -> None:
    """An empty pattern is an empty sequence."""
    assert parse("ab") == Sequence((A, B))
    assert parse("") == Sequence(())


def test_alternatives() -> None:
    """Each of them may be empty."""
    assert parse("a|b|") == Choice((Sequence((A,)), Sequence((B,)), Sequence(())))


@pytest.mark.parametrize(
    ("pattern", "least", "most"),
    [
        ("a*", 0, None),
        ("a+", 1, None),
        ("a?", 0, 1),
        ("a{3}", 3, 3),
        ("a{3,}", 3, None),
        ("a{0,3}", 0, 3),
        ("a{1000}", 1000, 1000),
        ("a*?", 0, None),
        ("a{2,3}?", 2, 3),
    ],
)
def test_repetitions(pattern: str, least: int, most: int | None) -> None:
    """Greediness does not affect whether a whole name matches."""
    assert parse(pattern) == Sequence((Repeat(A, least, most),))


@pytest.mark.parametrize("pattern", ["a{", "a{,3}", "a{x}", "a{3"])
def test_other_braces_are_literal(pattern: str) -> None:
    """As in RE2."""
    tree = parse(pattern)

    assert isinstance(tree, Sequence)
    assert len(tree.parts) == len(pattern)


@pytest.mark.parametrize("pattern", ["(a)", "(?:a)", "(?P<name>a)", "(?<name>a)", "(?s:a)"])
def test_a_group_is_its_content(pattern: str) -> None:
    """Captures are not used."""
    assert parse(pattern) == Sequence((Sequence((A,)),))


def test_a_repetition_ignores_flags_before_it() -> None:
    """It applies to the part before them, as in RE2/J; there must be one."""
    assert parse("a(?s)*") == parse("a*")
    assert parse("a+(?s)*") == Sequence((Repeat(Repeat(A, 1, None), 0, None),))
    with pytest.raises(InvalidRegex, match="missing argument"):
        parse("a|(?s)*")


def test_assertions() -> None:
    """A name is one line."""
    assert parse(r"^$\A\z\b\B") == Sequence(
        (
            Place(Assertion.BEGIN),
            Place(Assertion.END),
            Place(Assertion.BEGIN),
            Place(Assertion.END),
            Place(Assertion.WORD_BOUNDARY),
            Place(Assertion.NO_WORD_BOUNDARY),
        )
    )


def test_quoted_text() -> None:
    r"""Between ``\Q`` and ``\E`` or the end; a repetition applies to its last character."""
    dot = Chars(one("."))

    assert parse(r"\Qa.\Eb") == Sequence((A, dot, B))
    assert parse(r"\Qa.") == Sequence((A, dot))
    assert parse(r"\Qa.\E*") == Sequence((A, Repeat(dot, 0, None)))
    assert parse(r"\Q\E") == Sequence(())


def test_flags_apply_until_the_end_of_their_group() -> None:
    """Or only to the group that contains them before a colon."""
    either = Chars(folded(one("a")))

    assert parse("(?i)a") == Sequence((either,))
    assert parse("(?i:a)a") == Sequence((Sequence((either,)), A))
    assert parse("((?i)a)a") == Sequence((Sequence((either,)), A))
    assert parse("(?i)(?-i:a)a") == Sequence((Sequence((A,)), either))
    assert parse("(?i)b|a") == Choice((Sequence((Chars(folded(one("b"))),)), Sequence((either,))))


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("*", "missing argument to repetition operator"),
        ("a|*", "missing argument to repetition operator"),
        ("(+)", "missing argument to repetition operator"),
        ("{2}", "missing argument to repetition operator"),
        ("a**", "invalid nested repetition operator"),
        ("a{2}{3}", "invalid nested repetition operator"),
        ("a{+", "invalid nested repetition operator"),
        ("a{1001}", "invalid repeat count"),
        ("a{3,2}", "invalid repeat count"),
        ("a{99999999999999999999}", "invalid repeat count"),
        ("(a", r"missing closing \)"),
        ("a)", "internal error"),
        ("[a", r"missing closing \]"),
        ("(?P<n>a)(?P<n>b)", "duplicate capture group name"),
        ("(?P<>a)", "invalid named capture"),
        ("(?P<n", "invalid named capture"),
        ("(?=a)", "invalid or unsupported Perl syntax"),
        ("(?!a)", "invalid or unsupported Perl syntax"),
        ("(?<=a)", "invalid named capture"),
        ("(?>a)", "invalid or unsupported Perl syntax"),
        ("(?-)", "invalid or unsupported Perl syntax"),
        (r"(a)\1", "invalid escape sequence"),
        ("a\\", "trailing backslash"),
    ],
)
def test_unsupported_syntax_is_refused(pattern: str, why: str) -> None:
    """Lookaround and back references cannot be matched in linear time."""
    with pytest.raises(InvalidRegex, match=why):
        parse(pattern)


def test_the_nesting_of_groups_is_limited() -> None:
    """The tree is processed by recursive functions."""
    parse("(" * DEPTH_MAX + ")" * DEPTH_MAX)

    with pytest.raises(InvalidRegex, match="nests too deeply"):
        parse("(" * (DEPTH_MAX + 1) + ")" * (DEPTH_MAX + 1))


@given(st.text(r"ab.*+?|()[]{}^$\-,:<>!=PQEdpxi0129" + "\u0663", max_size=20))
def test_any_pattern_is_parsed_or_refused(pattern: str) -> None:
    """No other exception is raised."""
    tree = None
    with contextlib.suppress(InvalidRegex):
        tree = parse(pattern)

    assert tree is None or isinstance(tree, Sequence | Choice)


def test_only_ascii_digits_are_digits() -> None:
    """A brace with another digit is literal, as in RE2/J."""
    tree = parse("a{\u0663}")

    assert isinstance(tree, Sequence)
    assert len(tree.parts) == 4


@pytest.mark.parametrize("text", ["a{00}", "a{01}", "a{1,02}", "{000}"])
def test_a_number_with_a_zero_before_it_is_no_repetition(text: str) -> None:
    """It is text, as in RE2/J."""
    parts = tuple(Chars(one(each)) for each in text)

    assert parse(text) == Sequence(parts)
