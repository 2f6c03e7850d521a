"""The verdict on an outcome: equal, differing as listed, or a failure."""

from __future__ import annotations

from integration.parity.known import KNOWN
from integration.parity.runner import Outcome

SAME, KNOWN_DIFFERENCE = "same", "known difference"
DIFFERS, NO_LONGER_DIFFERS, BROKEN = "DIFFERS", "NO LONGER DIFFERS", "BROKEN ON KAFKA"
GOOD = frozenset({SAME, KNOWN_DIFFERENCE})


def verdict(outcome: Outcome) -> str:
    """Return one of the words above; those that are not in `GOOD` fail a run."""
    if outcome.broken:
        return BROKEN
    if outcome.equal:
        return NO_LONGER_DIFFERS if outcome.scenario.name in KNOWN else SAME
    return KNOWN_DIFFERENCE if outcome.as_known else DIFFERS


def reason(outcome: Outcome) -> str:
    """Return the reason of a listed difference in one line; empty otherwise."""
    if verdict(outcome) == KNOWN_DIFFERENCE:
        return KNOWN[outcome.scenario.name].reason
    return outcome.ours.lacks or ""
