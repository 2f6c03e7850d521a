"""The fault rules that apply to the response of one request."""

from __future__ import annotations

from collections.abc import Sequence

from broker.faults.rule import FaultRule


class RequestFault:
    """``rule`` has fired and acts on the response; ``later`` match only a response with records."""

    __slots__ = ("later", "rule")

    def __init__(self, rule: FaultRule | None, later: Sequence[FaultRule]) -> None:
        self.rule = rule
        self.later = later
