"""Describes the wait of a request that a fault rule holds."""

from __future__ import annotations

from collections.abc import Callable

from broker.faults.rule import FaultRule
from broker.wait_records.causes import Cause
from broker.wait_records.wait import Facts, Wait


class FaultWait(Wait):
    """``effect`` is what the rule does: a kind of `waited_for` in docs/reference/records.md.

    ``ends_ms`` is when the wait ends, by the node's clock; None: the rule does not end it.
    """

    __slots__ = ("_ends_ms", "_rule", "_timeout_ms", "effect", "ended_by", "stops_reading")

    purgatory = "Fault"

    def __init__(
        self, rule: FaultRule, effect: str, timeout_ms: int | None, ends_ms: float | None
    ) -> None:
        self._rule = rule
        self._timeout_ms = timeout_ms
        self._ends_ms = ends_ms
        self.effect = effect
        self.ended_by: Cause | None = None
        self.stops_reading = effect == "half_open"

    @property
    def timeout_ms(self) -> int | None:
        """The delay."""
        return self._timeout_ms

    def remaining_ms(self, now_ms: float) -> int | None:
        """What is left of the delay."""
        return None if self._ends_ms is None else round(self._ends_ms - now_ms)

    def condition(self) -> Facts | None:
        """The rule, and what it does."""
        return {"kind": "fault", "effect": self.effect, **self._rule.label}

    def cause(self, _present: Callable[[], Cause]) -> Cause | None:
        """The end of the delay, or the removal of the rule."""
        return self.ended_by
