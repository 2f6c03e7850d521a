r"""Translates regular expressions of Java to those of Python.

``(?<name>...)`` and ``\k<name>`` are written differently, and Python lacks ``\p{...}``, of which
the most common classes are translated: those of ASCII, letters and numbers. Java's ``\w``, ``\d``
and ``\s`` mean ASCII.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from itertools import groupby
from typing import Final

from protocol.lazy_pattern import LazyPattern

# What differs, and what tells whether it is in a class of characters.
_TOKEN: Final = LazyPattern(
    r"\\k<(?P<back>\w+)>|\\(?P<property>[pP])(?:\{(?P<name>\w+)\}|(?P<letter>\w))|\\."
    r"|\(\?<(?P<group>[A-Za-z][A-Za-z0-9]*)>|[\[\]]",
    re.DOTALL,
)
_ASCII: Final = {
    "Alnum": "0-9A-Za-z",
    "Alpha": "A-Za-z",
    "Digit": "0-9",
    "Lower": "a-z",
    "Punct": r"!-/:-@\[-`{-~",
    "Space": r"\s",
    "Upper": "A-Z",
    "XDigit": "0-9A-Fa-f",
}
_CATEGORIES: Final = frozenset(["L", "Lu", "Ll", "Lt", "Lm", "Lo", "N", "Nd", "Nl", "No"])


def java_pattern(text: str) -> re.Pattern[str]:
    """Compile a regular expression of Java; raises `re.error`, also for what is not translated."""
    parts, position, depth = list[str](), 0, 0
    for token in _TOKEN.compiled.finditer(text):
        parts.append(text[position : token.start()])
        position = token.end()
        depth += {"[": 1, "]": -1}.get(token[0], 0) if depth or token[0] == "[" else 0
        parts.append(_translated(token, is_in_class=depth > 0))
    parts.append(text[position:])
    return re.compile("".join(parts), re.ASCII)


def _translated(token: re.Match[str], *, is_in_class: bool) -> str:
    if token["group"] is not None:
        return f"(?P<{token['group']}>"
    if token["back"] is not None:
        return f"(?P={token['back']})"
    if token["property"] is None:
        return token[0]
    characters = _characters((token["name"] or token["letter"]).removeprefix("Is"))
    if token["property"] == "p":
        return characters if is_in_class else f"[{characters}]"
    if is_in_class:
        raise re.error(f"{token[0]} in a class of characters is not supported")
    return f"[^{characters}]"


@cache
def _characters(name: str) -> str:
    """The content of a class of characters."""
    if name in _ASCII:
        return _ASCII[name]
    if name not in _CATEGORIES:
        raise re.error(f"the class of characters {name} is not supported")
    codes = (
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)).startswith(name)
    )
    runs = (list(run) for _, run in groupby(enumerate(codes), lambda each: each[1] - each[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)
