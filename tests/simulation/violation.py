"""What a run of the simulation ends with when a rule is broken."""

from __future__ import annotations


class Violation(Exception):  # noqa: N818 - it is not a mistake of the program that raises it
    """A promise of the broker's does not hold; the text says which, where and when."""
