"""A fault rule that is set: how often it has matched and fired, and what it holds.

active --fired `times` times--> spent
`----`for_ms` have passed--> expired
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from broker.faults.matches import CLIENTS_MAX, Matches
from broker.faults.rule_spec import PER_CLIENT, RuleSpec
from purgatories.timer.timer_task import TimerTask


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


class FaultRule:
    """A rule of `FaultRules`, which has set its ``id``.

    ``matches`` may be shared with rules that match the same. ``held`` are the requests that end
    when the rule is removed, ``image`` the metadata of the time at which it was set, if its action
    needs it.
    """

    __slots__ = (
        "_fired_by_client",
        "_matched_at_end",
        "_matched_before",
        "expiry",
        "fired",
        "held",
        "id",
        "image",
        "is_expired",
        "is_removed",
        "last_fired",
        "matches",
        "spec",
    )

    def __init__(self, rule_id: int, spec: RuleSpec, matches: Matches | None = None) -> None:
        self.id = rule_id
        self.spec = spec
        self.matches = matches or Matches(per_client=spec.per == PER_CLIENT)
        # The matches of others before the rule was set.
        self._matched_before = self.matches.total
        self._matched_at_end: int | None = None
        self.fired = 0
        self.last_fired: Fired | None = None
        self.is_expired = self.is_removed = False
        self.expiry: TimerTask | None = None
        self.held: set[Held] = set()
        self.image: Any = None
        self._fired_by_client: dict[str | None, int] = {}

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

    @property
    def matched(self) -> int:
        """How often it has matched; a rule that has ended matches no more."""
        matched = self.matches.total if self._matched_at_end is None else self._matched_at_end
        return matched - self._matched_before

    @property
    def due_from(self) -> int:
        """The count of ``matches`` from which on it may fire."""
        return self._matched_before + self.spec.nth

    def match(self, client_id: str | None) -> bool:
        """Count a match; whether the rule is to fire, which `FaultRules` counts."""
        return self.is_due(self.matches.add(client_id), client_id)

    def is_due(self, count: int, client_id: str | None) -> bool:
        """Whether it is to fire on the match that is *count* in ``matches``."""
        times = self.spec.times
        return count >= self.due_from and (times is None or self._fired_for(client_id) < times)

    def _fired_for(self, client_id: str | None) -> int:
        if self.spec.per != PER_CLIENT:
            return self.fired
        return self._fired_by_client.get(client_id, 0)

    def count_fired(self, fired: Fired) -> Firing:
        """Count that the rule has fired on its last match."""
        self.fired += 1
        if self.spec.per == PER_CLIENT:
            by_client, client_id = self._fired_by_client, fired.client_id
            if client_id not in by_client and len(by_client) >= CLIENTS_MAX:
                del by_client[next(iter(by_client))]
            by_client[client_id] = by_client.get(client_id, 0) + 1
        self.last_fired = fired
        nth = self.matches.of(fired.client_id) - self._matched_before
        return Firing(self.id, self.spec.name, nth, fired)

    def end(self) -> None:
        """Count no further matches: the rule can no longer fire, or is removed."""
        if self._matched_at_end is None:
            self._matched_at_end = self.matches.total

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
