"""Tests of the escaping of text from clients."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.printable import printable, printable_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("orders-1", "orders-1"),
        ("é ü 日本 😀", "é ü 日本 😀"),
        ("a\x1b[31mred", r"a\x1b[31mred"),
        ("one\ntwo\r\t", r"one\ntwo\r\t"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u2028\u200b\x9b\x7f", r"\u2028\u200b\x9b\x7f"),
        ("\U000e0001", r"\U000e0001"),
        ("\\n", "\\n"),
    ],
)
def test_what_is_not_printable_is_escaped(text: str, shown: str) -> None:
    """Control characters, line breaks, terminal sequences and changes of direction are escaped."""
    assert printable(text) == shown
    assert json.loads(printable_json(json.dumps([text]))) == [shown]


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_has_the_same_strings(value: object) -> None:
    """Each string in a document is escaped as it is alone, keys included."""

    def shown(part: object) -> object:
        match part:
            case str():
                return printable(part)
            case list():
                return [shown(each) for each in part]
            case dict():
                return {printable(key): shown(each) for key, each in part.items()}
        return part

    text = printable_json(json.dumps(value))

    assert text.isprintable()
    assert json.loads(text) == shown(value)
