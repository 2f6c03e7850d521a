"""The exception of a violated rule."""

from __future__ import annotations


class Violation(Exception):  # noqa: N818 - it is not a mistake of the program that raises it
    """A rule of the model is violated; the message names the rule and the group or request."""
