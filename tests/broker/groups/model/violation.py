"""What a run of the group model ends with when a rule is broken."""

from __future__ import annotations


class Violation(Exception):  # noqa: N818 - it is not a mistake of the program that raises it
    """The text says which rule, for which group or request."""
