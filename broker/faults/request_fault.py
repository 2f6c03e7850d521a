"""The fault rules that apply to the response of one request."""

from __future__ import annotations

from collections.abc import Sequence

from broker.faults.rule import FaultRule
from broker.faults.subject import Subject


class RequestFault:
    """``rule`` has fired and acts on the response; ``later`` match only a response with records."""

    __slots__ = ("later", "rule", "subject")

    def __init__(
        self, subject: Subject, rule: FaultRule | None, later: Sequence[FaultRule]
    ) -> None:
        self.subject = subject
        self.rule = rule
        self.later = later
