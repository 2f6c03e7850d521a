"""Java's properties syntax."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.command_line.properties import parse_properties, read_properties
from broker.config import ConfigError


def pairs(text: str) -> list[tuple[str, str]]:
    return [(key, value) for key, value, _ in parse_properties(text, "f")]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("a=b", "a", "b"),
        ("a:b", "a", "b"),
        ("a b", "a", "b"),
        ("  a \t = \f b c ", "a", "b c "),
        ("a", "a", ""),
        ("a==b", "a", "=b"),
        (r"a\=b=c", "a=b", "c"),
        (r"a\ b\:c=d", "a b:c", "d"),
        (r"a=x\ty\\z\qw", "a", "x\ty\\zqw"),
        (r"a=\u00e9", "a", "é"),
        ("a=b\\\n   c", "a", "bc"),
        ("a=b\\\\", "a", "b\\"),
        ("a=b\\", "a", "b"),
        ("a=b\\\n# not a comment", "a", "b# not a comment"),
    ],
)
def test_a_line_is_parsed_as_in_java(text: str, key: str, value: str) -> None:
    """Separators, escapes and continuations follow java.util.Properties."""
    assert pairs(text) == [(key, value)]


def test_comments_and_blank_lines_are_skipped() -> None:
    """A comment begins with # or !, also after blanks; its backslash joins no lines."""
    assert pairs("# one\\\n  ! two\n\n \t\r\na=1\rb=2") == [("a", "1"), ("b", "2")]


def test_a_setting_has_its_file_and_line() -> None:
    """The origin is the file and the first line of the setting."""
    settings = parse_properties("# c\n\na=1\\\n2\nb=3\n", "server.properties")

    assert [s.origin for s in settings] == ["server.properties:3", "server.properties:5"]


def test_a_broken_escape_is_refused_with_its_line() -> None:
    r"""A \u needs four digits."""
    with pytest.raises(ConfigError, match=r"^f:2: .u must be followed by four"):
        pairs("a=1\nb=\\u12")


def test_a_value_without_a_key_is_refused_with_its_line() -> None:
    """The line begins with its separator."""
    with pytest.raises(ConfigError, match=r"^f:1: no key before the value"):
        pairs("=1")


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    """The path is in the message."""
    with pytest.raises(ConfigError, match=r"cannot read .*absent: No such file"):
        read_properties(tmp_path / "absent")


def test_a_file_is_latin_1(tmp_path: Path) -> None:
    """Java reads and writes properties in this encoding."""
    path = tmp_path / "server.properties"
    path.write_bytes(b"# caf\xe9\na=\xe9\n")

    assert [(s.key, s.value) for s in read_properties(path)] == [("a", "é")]


@given(st.text(st.characters(codec="latin-1"), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    """The parser raises only ConfigError."""
    with suppress(ConfigError):
        pairs(text)
