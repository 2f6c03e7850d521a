r"""Java's ``.properties`` syntax, in which Kafka's own configuration files are written.

A line is a key, a separator (``=``, ``:`` or blanks) and a value; ``#`` and ``!`` start comments;
an odd number of backslashes at a line's end joins it with the next; ``\t \n \r \f \uXXXX`` are
characters, and any other backslash is removed. As in Java, files are ISO-8859-1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from broker.config import ConfigError, Setting
from protocol.lazy_pattern import LazyPattern

_BLANK = " \t\f"
_NAMED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPE = LazyPattern(r"\\(?:u([0-9a-fA-F]{4})|(.?))", re.DOTALL)
# The key ends at the first separator without a backslash before it.
_KEY = LazyPattern(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR = LazyPattern(r"[ \t\f]*[=:]?[ \t\f]*")


def read_properties(path: Path) -> list[Setting]:
    """The settings of a file with their line numbers; raises `ConfigError`."""
    try:
        text = path.read_text(encoding="iso-8859-1")
    except OSError as error:
        raise ConfigError(f"--properties: cannot read {path}: {error.strerror}") from None
    return list(parse_properties(text, str(path)))


def parse_properties(text: str, name: str) -> Iterator[Setting]:
    """The settings in *text*; the origin of each is *name* and its line number."""
    for number, line in _logical_lines(text):
        origin = f"{name}:{number}"
        key = _KEY.compiled.match(line)
        assert key is not None, "the expression matches the empty string"
        separator = _SEPARATOR.compiled.match(line, key.end())
        assert separator is not None, "the expression matches the empty string"
        if not key.group():
            raise ConfigError(f"{origin}: no key before the value; lines are KEY=VALUE")
        yield Setting(
            _unescaped(key.group(), origin), _unescaped(line[separator.end() :], origin), origin
        )


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are neither blank nor comments, continuations joined, with their numbers."""
    joined, first = "", 0
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = raw.lstrip(_BLANK)
        if not first and (not line or line[0] in "#!"):
            continue
        first = first or number
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            joined += line[:-1]
            continue
        yield first, joined + line
        joined, first = "", 0
    if joined:
        yield first, joined


def _unescaped(text: str, origin: str) -> str:
    def character(match: re.Match[str]) -> str:
        code, other = match.groups()
        if code is not None:
            return chr(int(code, 16))
        if other == "u":
            raise ConfigError(f"{origin}: \\u must be followed by four hexadecimal digits")
        return _NAMED.get(other, other)

    return _ESCAPE.compiled.sub(character, text)
