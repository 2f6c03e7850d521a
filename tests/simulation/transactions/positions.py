"""Consume-transform-produce: the committed transactions of a group process its input exactly once.

transaction 1: positions 0 to 3, transaction 2: 3 to 4, transaction 5: 4 to 6, ...
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.simulation.transactions.ledger import Transaction
from tests.simulation.violation import Violation


def check_positions(transactions: Iterable[Transaction]) -> int:
    """The position after the last committed one; `Violation` if one is missing or repeated."""
    ranges = sorted(
        (each.consumed, each.name)
        for each in transactions
        if each.outcome and each.consumed is not None
    )
    position = 0
    for (start, end), name in ranges:
        if start != position:
            raise Violation(f"{name}: consumes {start} to {end}, but {position} is the next")
        position = end
    return position
