"""Escapes text from clients, so that terminals and logs show its characters and do not act on them.

Client ids, topics, groups and configuration values may contain line breaks, terminal sequences and
characters that change the direction of text. All such text in log lines, the admin interface and
wait records is escaped here. Characters that Python calls printable do not change.
"""

from __future__ import annotations

import re
from typing import Final

from protocol.lazy_pattern import LazyPattern

# In JSON of ASCII: an escaped backslash, a pair of surrogates, or a single escape.
_ESCAPE: Final = LazyPattern(
    r"\\\\|\\u(?P<high>d[89ab][0-9a-f]{2})\\u(?P<low>d[c-f][0-9a-f]{2})"
    r"|\\u(?P<single>[0-9a-f]{4})|\\[bfnrt]"
)


def printable(text: str) -> str:
    r"""*text* with every character escaped that is not printable: ``\x1b``, ``\n``, ``\u202e``."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def printable_json(text: str) -> str:
    r"""JSON as ``json.dumps`` writes it, with `printable` strings.

    After parsing, a line break in a string is the two characters ``\n``.
    """
    return _ESCAPE.compiled.sub(_escaped_again, text) if "\\" in text else text


def _escaped_again(escape: re.Match[str]) -> str:
    found = escape[0]
    if found == "\\\\":
        return found
    if escape["high"]:
        high, low = int(escape["high"], 16), int(escape["low"], 16)
        character = chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
    elif escape["single"]:
        character = chr(int(escape["single"], 16))
    else:
        character = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}[found[1]]
    return found if character.isprintable() else "\\" + ascii(character)[1:-1]
