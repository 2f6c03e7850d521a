"""Fault rules without a cluster, and requests to which they are applied."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from broker.api.faults.possible import possible_matches
from broker.common.errors import InvalidValue
from broker.common.state_changes import StateChanges
from broker.config import Config
from broker.faults.fault_rules import FaultRules
from broker.faults.index import RuleIndex
from broker.faults.read_rule import Possible, read_rule
from broker.faults.rule import FaultRule
from broker.faults.rule_group import RuleGroup
from broker.faults.rule_spec import RuleSpec
from broker.security.principal import Principal
from broker.security.session import Session
from protocol.headers import RequestHeader
from protocol.messages.heartbeat import HeartbeatRequest
from purgatories.timer.system_timer import SystemTimer

POSSIBLE: Possible = possible_matches(Config(), (1, 2, 3))
ERROR = {"type": "error", "error": "REQUEST_TIMED_OUT"}
ORDERS_ID = UUID(int=7)


class RulesWithClock:
    """Fault rules of three nodes, and their clock."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self.timer = SystemTimer("cluster", now_ms=lambda: self.now_ms)
        self.rules = FaultRules(
            self.timer, lambda: round(self.now_ms * 1000), StateChanges(), POSSIBLE, dict
        )

    def add(self, **rule: Any) -> FaultRule:
        """Set a rule, by default with an error."""
        [added] = self.rules.add({"action": ERROR, **rule})
        return added

    def fire(self, subject: Subject) -> int | None:
        """The id of the rule that fires on the request."""
        rule = fire(self.rules, subject)
        return None if rule is None else rule.id

    def pass_ms(self, duration_ms: float) -> None:
        """Let time pass."""
        self.now_ms += duration_ms
        self.timer.advance_clock(0)


class Subject(NamedTuple):
    """A decoded request to node ``node`` of a session."""

    header: RequestHeader
    body: Any
    session: Session
    node: int


def fire(rules: FaultRules, subject: Subject) -> FaultRule | None:
    """The rule that fires on the request."""
    index = rules.for_requests.get(subject.header.api_key)
    if index is None:
        return None
    fault = rules.fire(matching(index, subject), subject.header, subject.node)
    return None if fault is None else fault.rule


def matching(index: RuleIndex, subject: Subject) -> list[RuleGroup]:
    """The rules that match the request, in the order in which they were set."""
    candidates = index.candidates(*subject)
    found = candidates.matching(subject.body, {ORDERS_ID: "orders"})
    assert candidates.of_all_names in (None, found)
    return sorted(found, key=lambda group: group.first_id)


def heartbeat(client_id: str | None = "test", node: int = 1, **fields: Any) -> Subject:
    """A Heartbeat of group g, by default."""
    given = {"group_id": "g", "generation_id": 1, "member_id": "m", **fields}
    return subject(HeartbeatRequest(**given), client_id, node)


def subject(
    body: Any, client_id: str | None = "test", node: int = 1, version: int | None = None
) -> Subject:
    """A request of User:ann by the listener PLAINTEXT."""
    spec = body.__spec__
    header = RequestHeader(
        spec.key, spec.versions[-1] if version is None else version, 5, client_id
    )
    session = Session(principal=Principal("User", "ann"))
    return Subject(header, body, session, node)


def refusal(rule: object) -> str:
    """The sentence with which a rule is refused."""
    try:
        read_rule(rule, POSSIBLE)
    except InvalidValue as error:
        return str(error)
    return "accepted"


def read(**rule: Any) -> RuleSpec:
    """A rule that is read, by default with an error."""
    return read_rule({"action": ERROR, **rule}, POSSIBLE)
