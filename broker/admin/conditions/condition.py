"""A condition of the broker's state, and the lines that report what is missing."""

from __future__ import annotations

from typing import Protocol

from broker.admin.facts.facts import Facts
from broker.admin.facts.json_object import JsonObject

_NAMED_MAX = 5  # partitions or requests in one line

# The value of the response, and lines about what is missing: none if the condition holds.
Finding = tuple[JsonObject, list[str]]


class Condition(Protocol):
    """A condition of the broker's state."""

    def check(self, facts: Facts) -> Finding:
        """Compare the condition with the present state."""
        ...

    def alternatives(self, facts: Facts, /) -> list[str]:
        """What exists of the kind that is waited for; empty if the lines of `check` suffice."""
        ...


def some(lines: list[str]) -> str:
    """The first of *lines*, separated by commas, and the number of the others."""
    more = len(lines) - _NAMED_MAX
    return ", ".join(lines[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")
