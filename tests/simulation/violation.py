"""The exception for a violated rule."""

from __future__ import annotations


class Violation(Exception):  # noqa: N818 - it names the finding
    """A rule does not hold; the message names the rule, the node and the time."""
