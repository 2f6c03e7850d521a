"""Matches, compared with those of Python's ``re`` where the syntax is the same."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from broker.groups.consumer.regex.program import MEMBERS_MAX, PLACES_MAX, Program
from broker.groups.consumer.regex.syntax import InvalidRegex

ATOMS = st.sampled_from(
    ["a", "b", "A", "_", ".", r"\.", "[ab]", "[^a]", "[^A-B_]", r"[\d_]", r"\d", r"\w", r"\W"]
)
NAMES = st.text("abAB_.0", max_size=6)


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns that contain other patterns."""
    grouped = inner.map(lambda each: f"(?:{each})")
    repeats = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "*?", "{0,1}?"])
    return (
        st.tuples(inner, inner).map("".join)
        | st.tuples(grouped, repeats).map("".join)
        | st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})")
        | inner.map(lambda each: f"(?i:{each})")
        | inner.map(lambda each: rf"(?:\b{each})")
        | inner.map(lambda each: f"(?:^{each}$)")
    )


PATTERNS = st.recursive(ATOMS, combined, max_leaves=6)


@given(PATTERNS, st.lists(NAMES, min_size=1, max_size=8))
def test_matches_agree_with_python(pattern: str, names: list[str]) -> None:
    """For syntax that both have; Python's classes are limited to ASCII."""
    program, python = Program(pattern), re.compile(pattern, re.ASCII)

    for name in names:
        assert program.matches(name) == (python.fullmatch(name) is not None), (pattern, name)


@given(st.text("ab.*+?|()[]{}^-,12", max_size=8), st.lists(NAMES, max_size=5))
def test_matches_of_random_patterns_agree_with_python(pattern: str, names: list[str]) -> None:
    """Patterns that either of them refuses are not compared."""
    assume("{," not in pattern and not re.search(r"[*+?}][+]|\^[*+?{]", pattern))
    try:
        program, python = Program(pattern), re.compile(pattern, re.ASCII)
    except (InvalidRegex, re.error, FutureWarning):
        return

    for name in names:
        assert program.matches(name) == (python.fullmatch(name) is not None), (pattern, name)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("", "", True),
        ("", "t", False),
        ("t.*", "topic", True),
        ("t.*", "at", False),
        ("foo|bar", "bar", True),
        ("foo|bar", "foobar", False),
        (r"__.*|\Qa.b\E", "a.b", True),
        (r"__.*|\Qa.b\E", "axb", False),
        (r"[[:alpha:]]+-\pN", "abc-7", True),
        ("(?i)ORDERS-.*", "orders-1", True),
        ("(?i:o)rders", "ORDERS", False),
        ("t{2,3}", "tttt", False),
    ],
)
def test_topic_names(pattern: str, name: str, fits: bool) -> None:
    """The whole name must match."""
    assert Program(pattern).matches(name) is fits


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("(?i)[^a]", "bzBZ"),
        ("(?i)[^A-Y]", "zZ"),
        ("(?i)[^[:^lower:]]", "abzABZ"),
        ("(?i)[[:^lower:]]", ""),
        (r"(?i)\p{Lu}", "abzABZ"),
        (r"(?i)\P{Lu}", ""),
        (r"(?i)[\p{Lu}]", "abzABZ"),
        (r"(?i)[^\p{Lu}]", ""),
    ],
)
def test_a_negated_class_ignores_case(pattern: str, fits: str) -> None:
    """Both cases of its letters are excluded, as in RE2/J."""
    assert "".join(filter(Program(pattern).matches, "abzABZ")) == fits


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        (".", "a\u00e9\u212a\U0001f600"),
        ("(?s).", "a\n\u00e9\u212a\U0001f600"),
        ("[^a]", "\n\u00e9\u212a\U0001f600"),
        (r"\w", "a"),
        (r"(?i)\w", "a\u212a"),
        (r"\W", "\n\u00e9\u212a\U0001f600"),
        (r"\S", "a\u00e9\u212a\U0001f600"),
        (r"\pL", "a\u00e9\u212a"),
        ("(?i)k", "\u212a"),
        ("(?i)\u00c9", "\u00e9"),
        (r"[\x{e0}-\x{ff}]", "\u00e9"),
    ],
)
def test_transactional_ids_may_have_all_characters(pattern: str, fits: str) -> None:
    """A dot matches all but the newline, as in RE2/J."""
    assert "".join(filter(Program(pattern).matches, "a\n\u00e9\u212a\U0001f600")) == fits


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("a$\nb", False),
        ("(?m)a$\nb", True),
        ("(?m:a$\n)b", True),
        ("(?m)a\n^b", True),
        ("(?m)^^a\n^b$", True),
        ("(?m)a^\nb", False),
        (r"(?m)a\z\nb", False),
        ("a.b", False),
        ("(?s)a.b", True),
        ("(?s)a(?-s).b", False),
        (r"a\b.*", False),
    ],
)
def test_lines(pattern: str, fits: bool) -> None:
    """The flags m and s."""
    assert Program(pattern).matches("a\nb") is fits


def test_a_pattern_with_exponential_backtracking_is_matched_in_linear_time() -> None:
    """All states are simulated at once."""
    assert not Program("(a*)*(a|aa)+(.*a){10}").matches("a" * 3000 + "b")


def test_a_program_can_be_used_again() -> None:
    """The cached sets of one name are valid for others."""
    program = Program("(ab|a)*c?")

    assert [program.matches(name) for name in ("aba", "abac", "b", "aba", "")] == [
        True,
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("((a{100}){100}){100}", [], ["", "a" * 249]),
        ("((a{0,100}){0,100}){0,100}", ["", "a" * 249], ["a" * 248 + "b"]),
        ("(a?){1000}", ["", "a" * 249], ["b"]),
        ("(x{1000}|y{1000}){1000}", [], ["x" * 249]),
        ("(a{2}){3}", ["a" * 6], ["a" * 5, "a" * 7]),
        ("(a{2,3}){2,}", ["a" * 4, "a" * 249], ["a" * 3]),
        ("a" * 5001, ["a" * 5001], ["a" * 5000]),
    ],
)
def test_repetitions_are_counted(pattern: str, fits: list[str], fits_not: list[str]) -> None:
    """Nested repetitions are not expanded; Kafka accepts them, too."""
    program = Program(pattern)

    assert [name for name in (*fits, *fits_not) if program.matches(name)] == fits


def test_the_cost_of_a_repetition_depends_on_the_name() -> None:
    """Places are created only when a name reaches them."""
    programs = [Program(f"(a?){{{count}}}") for count in (10, 1000)]
    for program in programs:
        assert program.matches("aaaa")

    few, many = (len(program._ways) for program in programs)  # noqa: SLF001 - the size of the cache
    assert few == many < 50


def test_the_caches_are_limited() -> None:
    """A pattern may create new sets of places for each name."""
    program = Program("((.*a){0,30}.*b){0,30}")
    rng = random.Random(1)
    for _ in range(300):
        program.matches("".join(rng.choices("abc", k=200)))

    assert len(program._ways) < PLACES_MAX + 100_000  # noqa: SLF001 - the size of the cache
    program.matches("a")
    assert program.matches("ab")


@pytest.mark.parametrize(("end", "fits"), [("", False), ("c", True)])
def test_the_caches_are_limited_within_a_name(end: str, fits: bool) -> None:
    """The pattern has thousands of sets, and a long name reaches most of them."""
    program = Program("[ab]*a[ab]{12}c")
    name = "".join(random.Random(1).choices("ab", k=20_000)) + "a" + "b" * 12 + end

    assert program.matches(name) is fits
    assert program._members < MEMBERS_MAX + 1000  # noqa: SLF001 - the size of the cache


def test_a_match_runs_in_slices() -> None:
    """Also the step of one character, if it reaches many places."""
    program = Program("|".join(f"(a{{{count}}}b)" for count in range(1, 1000)))

    pieces = list(program.match("a"))

    assert len(pieces) >= 10
