"""The message for a value that is not one of the valid ones."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Final

LISTED_MAX: Final = 20
_NAMED: Final = 3
_CLOSE: Final = 0.7  # as difflib measures the similarity
_QUOTED_MAX_CHARACTERS: Final = 60


def not_one_of(value: object, choices: Collection[str]) -> str:
    """The reason in one line: it lists up to 20 choices, and of more of them suggests one.

    The suggestion is the choice that is spelled most similarly, without regard to case.
    """
    quoted = short(value)
    if len(choices) <= LISTED_MAX:
        return f"{quoted} is not one of {', '.join(choices)}"
    close = closest(str(value), choices)
    if close is not None:
        return f"{quoted} is unknown; did you mean {close}?"
    some = ", ".join(list(choices)[:_NAMED])
    return f"{quoted} is unknown; there are {some} and {len(choices) - _NAMED} more"


def closest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that is spelled most similarly, without regard to case; None if none is."""
    import difflib  # slow to import, and rarely needed

    by_lower = {each.lower(): each for each in choices}
    lower = word[:_QUOTED_MAX_CHARACTERS].lower()
    close = difflib.get_close_matches(lower, by_lower, n=1, cutoff=_CLOSE)
    return by_lower[close[0]] if close else None


def no_such_node(node_id: int, nodes: Iterable[int]) -> str:
    """The reason in one line: it lists the *nodes*."""
    return f"there is no node {node_id}, only {', '.join(map(str, sorted(nodes)))}"


def short(value: object) -> str:
    """The value as a message quotes it: its beginning, if it is long.

    A schedule in YAML may have dates, which are no JSON, as values and keys.
    """
    quoted = isinstance(value, str)
    text = repr(value) if quoted else json.dumps(value, default=str, skipkeys=True)
    return text if len(text) <= _QUOTED_MAX_CHARACTERS else f"{text[:57]}..."
