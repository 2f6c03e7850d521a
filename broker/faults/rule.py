"""A fault rule that is set: how often it has matched and fired, and what it holds.

active --fired `times` times--> spent
`----`for_ms` have passed--> expired
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from broker.faults.rule_spec import PER_CLIENT, RuleSpec
from purgatories.timer.timer_task import TimerTask

# Of a rule that counts per client; the counts of the client that was seen first are dropped.
CLIENTS_MAX = 10_000


class RuleState(StrEnum):
    """Whether a rule can still fire."""

    ACTIVE = "active"
    SPENT = "spent"
    EXPIRED = "expired"


class Fired(NamedTuple):
    """The request, or the connection or link without these facts, on which a rule fired.

    ``at_us`` is the time by the clock of the cluster, in microseconds of Unix time.
    """

    at_us: int
    node: int | None = None
    api: str | None = None
    client_id: str | None = None
    correlation_id: int | None = None


class Firing(NamedTuple):
    """A rule has fired on its match ``nth``: of all its requests, or of those of the client."""

    rule: int
    name: str | None
    nth: int
    fired: Fired

    def facts(self) -> dict[str, Any]:
        """The firing as JSON."""
        return {"rule": self.rule, "name": self.name, "nth": self.nth, **self.fired._asdict()}


class Held(Protocol):
    """A request that a rule holds."""

    def release(self) -> None:
        """End the hold: its rule is removed."""
        ...


class _Count:
    __slots__ = ("fired", "matched")

    def __init__(self) -> None:
        self.matched = self.fired = 0


class FaultRule:
    """A rule of `FaultRules`, which has set its ``id``.

    ``held`` are the requests that end when the rule is removed, ``image`` the metadata of the time
    at which it was set, if its action needs it.
    """

    __slots__ = (
        "_counts",
        "_of_all",
        "expiry",
        "fired",
        "held",
        "id",
        "image",
        "is_expired",
        "is_removed",
        "last_fired",
        "matched",
        "spec",
    )

    def __init__(self, rule_id: int, spec: RuleSpec) -> None:
        self.id = rule_id
        self.spec = spec
        self.matched = 0
        self.fired = 0
        self.last_fired: Fired | None = None
        self.is_expired = self.is_removed = False
        self.expiry: TimerTask | None = None
        self.held: set[Held] = set()
        self.image: Any = None
        self._counts: dict[str | None, _Count] = {}
        self._of_all = None if spec.per == PER_CLIENT else _Count()

    @property
    def state(self) -> RuleState:
        """Whether it can still fire; counts per client are never spent."""
        if self.is_expired:
            return RuleState.EXPIRED
        spec = self.spec
        is_spent = spec.times is not None and spec.per != PER_CLIENT and self.fired >= spec.times
        return RuleState.SPENT if is_spent else RuleState.ACTIVE

    @property
    def words(self) -> str:
        """The rule in a sentence: ``fault rule 3 (lost-acks)``."""
        name = self.spec.name
        return f"fault rule {self.id}" + (f" ({name})" if name else "")

    @property
    def label(self) -> dict[str, Any]:
        """The field ``fault`` of a wait record."""
        return {"rule": self.id, "name": self.spec.name, "action": self.spec.action.type}

    def match(self, client_id: str | None) -> bool:
        """Count a match; whether the rule is to fire, which `FaultRules.fire` counts."""
        self.matched += 1
        count = self._count(client_id)
        count.matched += 1
        spec = self.spec
        return count.matched >= spec.nth and (spec.times is None or count.fired < spec.times)

    def count_fired(self, fired: Fired) -> Firing:
        """Count that the rule has fired on its last match."""
        self.fired += 1
        count = self._count(fired.client_id)
        count.fired += 1
        self.last_fired = fired
        return Firing(self.id, self.spec.name, count.matched, fired)

    def _count(self, client_id: str | None) -> _Count:
        if self._of_all is not None:
            return self._of_all
        count = self._counts.get(client_id)
        if count is None:
            if len(self._counts) >= CLIENTS_MAX:
                del self._counts[next(iter(self._counts))]
            count = self._counts[client_id] = _Count()
        return count

    def release(self) -> None:
        """End all holds."""
        for each in list(self.held):
            each.release()

    def facts(self) -> dict[str, Any]:
        """The rule as JSON, as docs/reference/admin.md lists it."""
        return {
            "id": self.id,
            **self.spec.facts(),
            "state": str(self.state),
            "matched": self.matched,
            "fired": self.fired,
            "last_fired": None if self.last_fired is None else self.last_fired._asdict(),
        }
