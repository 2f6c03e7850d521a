"""Sets of characters."""

from __future__ import annotations

import pytest

from broker.groups.consumer.regex.char_set import (
    ALL,
    NONE,
    CharSet,
    complement,
    folded,
    one,
    ranges,
    span,
    union,
)


def members(charset: CharSet, of: str) -> str:
    """The characters of *of* that are in a set."""
    return "".join(each for each in of if each in charset)


def test_sets_of_ranges() -> None:
    """Also ranges that begin within ASCII and end beyond it."""
    assert members(span(ord("x"), ord("z")), "wxyz{\u00e9") == "xyz"
    assert members(span(ord("~"), 0xE9), "}~\u00e8\u00e9\u00ea") == "~\u00e8\u00e9"
    assert members(ranges([(0xE0, 0xE1), (0xE5, 0xE5)]), "\u00df\u00e1\u00e2\u00e5") == (
        "\u00e1\u00e5"
    )


def test_unions_and_complements() -> None:
    """Of all characters."""
    both = union(one("a"), union(one("\u00e9"), one("\u00e8")))

    assert members(both, "ab\u00e8\u00e9\u00ea") == "a\u00e8\u00e9"
    assert members(complement(both), "ab\u00e8\u00e9\u00ea") == "b\u00ea"
    assert members(complement(complement(one("a"))), "ab\u00e9") == "a"
    assert members(complement(ALL), "a\u00e9") == members(NONE, "a\u00e9") == ""
    assert members(union(ALL, both), "b\u00ea") == "b\u00ea"


@pytest.mark.parametrize(
    ("characters", "cases"),
    [
        ("k", "kK\u212a"),
        ("\u212a", "kK\u212a"),
        ("\u017f", "sS\u017f"),
        ("\u03c2", "\u03c3\u03a3\u03c2"),
        ("\u00df", "\u00df\u1e9e"),
        ("i", "iI"),
        ("1", "1"),
    ],
)
def test_folding_adds_the_other_cases(characters: str, cases: str) -> None:
    """Of which there may be more than two, but no other letters."""
    charset = folded(one(characters))
    all_of_them = "kKsSiI1\u212a\u017f\u03c3\u03a3\u03c2\u00df\u1e9e\u0130\u0131"

    assert sorted(members(charset, all_of_them)) == sorted(cases)
