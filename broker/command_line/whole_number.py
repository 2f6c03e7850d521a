"""Whole numbers in options."""

from __future__ import annotations

from collections.abc import Callable

from broker.common.errors import StartupError


def whole_number(what: str, low: int, high: int) -> Callable[[str], int]:
    """A parser of numbers from *low* to *high*, whose `StartupError` names the option *what*."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high):
            raise StartupError(f"{what}: {text!r} is not a whole number from {low} to {high}")
        return int(text)

    return parse
