"""A fault rule as it was set: what it matches, when it fires, and what it does."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from broker.faults.actions import Action
from protocol.lazy_dataclass import dataclass

FROM_CLIENT, FROM_BROKER, FROM_ANY = "client", "broker", "any"
CONTROLLER = "controller"
PER_RULE, PER_CLIENT = "rule", "client"


@dataclass(frozen=True, slots=True)
class Match:
    """The properties of a request or a connection; None matches any.

    ``client`` is a client id, or the beginning of one and an asterisk. ``origin`` is who has sent
    the request: a client, another node of the cluster, or any; empty for a connection.
    """

    api: str | None = None
    version: int | None = None
    client: str | None = None
    principal: str | None = None
    listener: str | None = None
    node: int | None = None
    topic: str | None = None
    partition: int | None = None
    group: str | None = None
    transactional_id: str | None = None
    origin: str = FROM_CLIENT

    def facts(self) -> dict[str, Any]:
        """The match as JSON."""
        facts = {name: value for name, value in asdict(self).items() if value is not None}
        origin = facts.pop("origin")
        return {**facts, "from": origin} if origin else facts


@dataclass(frozen=True, slots=True)
class Link:
    """One direction between two nodes, or a node and `CONTROLLER`; None is any node."""

    from_node: int | str | None = None
    to_node: int | str | None = None

    def concerns(self, sender: int | str, receiver: int | str) -> bool:
        """Whether the link has the direction from *sender* to *receiver*."""
        return _is_end(self.from_node, sender) and _is_end(self.to_node, receiver)

    def facts(self) -> dict[str, Any]:
        """The link as JSON."""
        ends = {"from": self.from_node, "to": self.to_node}
        return {name: node for name, node in ends.items() if node is not None}


@dataclass(frozen=True, slots=True)
class RuleSpec:
    """Either ``match`` or ``link`` is set.

    The rule fires from the ``nth`` match on, at most ``times`` times (None: no limit), both counted
    for the rule or for each client id (``per``). It expires after ``for_ms`` (None: never).
    """

    action: Action
    match: Match | None = None
    link: Link | None = None
    nth: int = 1
    times: int | None = None
    per: str = PER_RULE
    for_ms: int | None = None
    name: str | None = None

    def facts(self) -> dict[str, Any]:
        """The rule as JSON."""
        what = {"match": self.match.facts()} if self.match is not None else {}
        if self.link is not None:
            what = {"link": self.link.facts()}
        return {
            "name": self.name,
            **what,
            "nth": self.nth,
            "per": self.per,
            "times": self.times,
            "for_ms": self.for_ms,
            "action": self.action.facts(),
        }


def _is_end(wanted: int | str | None, end: int | str) -> bool:
    """Whether an end is the wanted one; None is any node, but not the controller."""
    return wanted == end if wanted is not None else end != CONTROLLER
