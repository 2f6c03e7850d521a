"""The fault rules for requests of one API, by the kind of the request.

Which rules can match a kind of requests is determined once, with its first request: those of 100
rules that are for other clients cost its later requests one lookup. A change of the rules makes new
indexes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from broker.faults.candidates import Candidates
from broker.faults.request_kind import RequestKind
from broker.faults.rule import FaultRule
from broker.faults.rule_group import RuleGroup, groups_of
from broker.faults.senders import sender_test
from broker.security.principal import Principal
from broker.security.session import Session
from protocol.headers import RequestHeader

# The kinds whose rules are known; the one that was seen first is dropped.
KINDS_MAX = 10_000

# The fields of a `RequestKind`; a tuple is made faster.
_Key = tuple[str | None, int, int, Principal, str, bool]


class RuleIndex:
    """Finds the rules that can match a request."""

    __slots__ = ("_by_groups", "_groups", "_is_from_broker", "_kinds")

    def __init__(self, api_key: int, rules: Iterable[FaultRule]) -> None:
        self._is_from_broker = sender_test(api_key)
        self._groups = groups_of(rules)
        self._kinds: dict[_Key, Candidates] = {}
        # Shared by the kinds that the same groups can match.
        self._by_groups: dict[tuple[int, ...], Candidates] = {}

    def candidates(
        self, header: RequestHeader, body: Any, session: Session, node: int
    ) -> Candidates:
        """The rules that can match a decoded request to *node*."""
        version, test = header.api_version, self._is_from_broker
        from_broker = test is not None and test(version, body)
        key = header.client_id, version, node, session.principal, session.listener, from_broker
        return self._kinds.get(key) or self._add(key, body.__class__)

    def _add(self, key: _Key, cls: Any) -> Candidates:
        """Determine the rules that can match requests of a new kind."""
        kinds, kind = self._kinds, RequestKind(*key)
        if len(kinds) >= KINDS_MAX:
            del kinds[next(iter(kinds))]
        groups = [group for group in self._groups if kind.matches(group.match)]
        found = kinds[key] = self._shared(groups, cls)
        return found

    def _shared(self, groups: list[RuleGroup], cls: Any) -> Candidates:
        key = tuple(group.first_id for group in groups)
        found = self._by_groups.get(key)
        if found is None:
            if len(self._by_groups) >= KINDS_MAX:
                self._by_groups.clear()
            found = self._by_groups[key] = Candidates(groups, cls)
        return found
