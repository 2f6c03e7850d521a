"""Reads a fault rule from JSON, and refuses a rule that can never match."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from broker.common.choices import no_such_node
from broker.faults.actions import Action, Hold, HoldIsr, LinkCut, RefuseConnections
from broker.faults.fields import Fields
from broker.faults.possible_requests import check_possible
from broker.faults.read_action import read_action, read_link_action
from broker.faults.rule_spec import (
    CONTROLLER,
    FROM_ANY,
    FROM_BROKER,
    FROM_CLIENT,
    PER_CLIENT,
    PER_RULE,
    Link,
    Match,
    RuleSpec,
)
from broker.faults.senders import API_ONLY_OF_BROKERS, APIS_OF_BROKERS
from protocol.apis import Api
from protocol.lazy_dataclass import dataclass

COUNT_MAX = 1_000_000_000
FOR_MS_MAX = 366 * 86_400_000
_INT_MAX = 2**31 - 1
_RULE_FIELDS = ("match", "link", "nth", "per", "times", "for_ms", "name", "action")
_MATCH_FIELDS = (*(each.name for each in fields(Match) if each.name != "origin"), "from")


@dataclass(frozen=True, slots=True)
class Possible:
    """What rules can match: the APIs by name, the nodes, and the listeners."""

    apis: Mapping[str, Api]
    nodes: Collection[int]
    listeners: Collection[str]


def read_rule(value: object, possible: Possible) -> RuleSpec:
    """The rule that is described by a JSON object; raises `InvalidValue`."""
    rule = Fields(value)
    rule.allow(*_RULE_FIELDS)
    if "link" in rule:
        return _link_rule(rule, possible)
    action = read_action(rule.inner("action"), possible.nodes)
    match = _match(rule.optional("match") or Fields({}, "match"), action, possible)
    # A new connection and a partition have no client id.
    has_client = not isinstance(action, RefuseConnections | Hold)
    per = rule.choice("per", (PER_RULE, PER_CLIENT) if has_client else (PER_RULE,)) or PER_RULE
    if isinstance(action, Hold):
        _check_is_lasting(rule, action)
    return RuleSpec(action, match=match, per=per, **_limits(rule))


def _link_rule(rule: Fields, possible: Possible) -> RuleSpec:
    if "match" in rule:
        raise rule.refusal("link", "give either match or link")
    rule.choice("per", (PER_RULE,))
    fields_ = rule.inner("link")
    fields_.allow("from", "to")
    sender, receiver = (_end(fields_, name, possible) for name in ("from", "to"))
    if sender is not None and sender == receiver:
        who = sender if sender == CONTROLLER else f"node {sender}"
        raise fields_.refusal("to", f"{who} has no link to itself; give another node")
    if len(possible.nodes) < 2 and CONTROLLER not in (sender, receiver):
        raise fields_.refusal("to", "one node has a link only to the controller; give controller")
    action = read_link_action(rule.inner("action"))
    if isinstance(action, LinkCut):
        _check_is_lasting(rule, action)
    return RuleSpec(action, link=Link(sender, receiver), **_limits(rule))


def _end(link: Fields, name: str, possible: Possible) -> int | str | None:
    return CONTROLLER if link.value(name) == CONTROLLER else _node(link, name, possible)


def _check_is_lasting(rule: Fields, action: Action) -> None:
    """Refuse counts for an action that lasts from its beginning to its end."""
    for name, default in (("nth", 1), ("times", None)):
        if rule.value(name) not in (None, default):
            raise rule.refusal(
                name, f"the action {action.type} lasts; end it with for_ms or by removing the rule"
            )


def _limits(rule: Fields) -> dict[str, Any]:
    """When the rule fires, and its name."""
    return {
        "nth": rule.whole("nth", 1, COUNT_MAX) or 1,
        "times": rule.whole("times", 1, COUNT_MAX),
        "for_ms": rule.whole("for_ms", 1, FOR_MS_MAX),
        "name": rule.text("name"),
    }


def _match(match: Fields, action: Action, possible: Possible) -> Match:
    if isinstance(action, RefuseConnections):
        match.allow("node", "listener")
        return Match(
            node=_node(match, "node", possible),
            listener=match.choice("listener", possible.listeners),
            origin="",
        )
    if isinstance(action, Hold):
        return _held(match, action, possible)
    match.allow(*_MATCH_FIELDS)
    api = match.choice("api", sorted(possible.apis))
    if action.apis is not None and api is not None and api not in action.apis:
        raise match.refusal(
            "api", f"the action {action.type} is for {', '.join(action.apis)}, not for {api}"
        )
    if api is None and action.apis is not None and len(action.apis) == 1:
        [api] = action.apis
    read = Match(
        api=api,
        version=_version(match, api, possible),
        client=_client(match),
        principal=_principal(match),
        listener=match.choice("listener", possible.listeners),
        node=_node(match, "node", possible),
        topic=match.text("topic"),
        partition=match.whole("partition", 0, _INT_MAX),
        group=match.text("group"),
        transactional_id=match.text("transactional_id"),
        origin=_origin(match, api),
    )
    check_possible(match, read, possible.apis, action.apis)
    return read


def _held(match: Fields, action: Action, possible: Possible) -> Match:
    """The partitions that are held."""
    match.allow("topic", "partition")
    topic = match.text("topic")
    if topic is None:
        raise match.refusal("topic", f"the action {action.type} needs the name of a topic")
    if isinstance(action, HoldIsr) and len(possible.nodes) < 2:
        raise match.refusal("topic", "its partitions have one replica, which is always in sync")
    return Match(topic=topic, partition=match.whole("partition", 0, _INT_MAX), origin="")


def _version(match: Fields, api: str | None, possible: Possible) -> int | None:
    if "version" not in match:
        return None
    if api is None:
        raise match.refusal("version", "give the api as well")
    versions = possible.apis[api].versions
    return match.whole("version", versions[0], versions[-1])


def _client(match: Fields) -> str | None:
    client = match.text("client")
    if client is not None and "*" in client[:-1]:
        raise match.refusal("client", "an asterisk is allowed only at the end")
    return client


def _principal(match: Fields) -> str | None:
    principal = match.text("principal")
    if principal is not None and not all(principal.partition(":")):
        raise match.refusal("principal", "give a type and a name, such as User:ann")
    return principal


def _node(fields_: Fields, name: str, possible: Possible) -> int | None:
    node = fields_.whole(name, 0, _INT_MAX)
    if node is not None and node not in possible.nodes:
        raise fields_.refusal(name, no_such_node(node, possible.nodes))
    return node


def _origin(match: Fields, api: str | None) -> str:
    origin = match.choice("from", (FROM_CLIENT, FROM_BROKER, FROM_ANY))
    if api in API_ONLY_OF_BROKERS:
        if origin == FROM_CLIENT:
            raise match.refusal("from", f"only brokers send {api}; give broker")
        return FROM_BROKER
    if origin == FROM_BROKER and api is not None and api not in APIS_OF_BROKERS:
        allowed = ", ".join(sorted(APIS_OF_BROKERS))
        raise match.refusal("from", f"brokers do not send {api}, but {allowed}")
    return origin or FROM_CLIENT
