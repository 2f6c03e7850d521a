"""Reads a fault rule from JSON, and refuses a rule that can never match."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from broker.faults.actions import Action, RefuseConnections
from broker.faults.fields import Fields
from broker.faults.named_parts import kinds
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

COUNT_MAX = 1_000_000_000
FOR_MS_MAX = 366 * 86_400_000
_INT_MAX = 2**31 - 1
_RULE_FIELDS = ("match", "link", "nth", "per", "times", "for_ms", "name", "action")
_MATCH_FIELDS = (*(each.name for each in fields(Match) if each.name != "origin"), "from")


@dataclass(frozen=True, slots=True)
class Possible:
    """What rules can match: the request class of each API, the nodes, and the listeners."""

    apis: Mapping[str, Any]
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
    # A new connection has no client id.
    counted = (PER_RULE,) if isinstance(action, RefuseConnections) else (PER_RULE, PER_CLIENT)
    per = rule.choice("per", counted) or PER_RULE
    return RuleSpec(action, match=match, per=per, **_limits(rule))


def _link_rule(rule: Fields, possible: Possible) -> RuleSpec:
    if "match" in rule:
        raise rule.refusal("link", "give either match or link")
    rule.choice("per", (PER_RULE,))
    fields_ = rule.inner("link")
    fields_.allow("from", "to")
    from_node = _node(fields_, "from", possible)
    to_controller = fields_.value("to") == CONTROLLER
    to_node = CONTROLLER if to_controller else _node(fields_, "to", possible)
    if from_node is not None and from_node == to_node:
        raise fields_.refusal("to", f"node {from_node} has no link to itself; give another node")
    if len(possible.nodes) < 2 and not to_controller:
        raise fields_.refusal("to", "one node has a link only to the controller; give controller")
    action = read_link_action(rule.inner("action"))
    return RuleSpec(action, link=Link(from_node, to_node), **_limits(rule))


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
    if api is not None:
        _check_parts(match, api, possible)
    return read


def _version(match: Fields, api: str | None, possible: Possible) -> int | None:
    if "version" not in match:
        return None
    if api is None:
        raise match.refusal("version", "give the api as well")
    versions = possible.apis[api].__spec__.versions
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
        known = ", ".join(map(str, sorted(possible.nodes)))
        raise fields_.refusal(name, f"there is no node {node}; there are {known}")
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


def _check_parts(match: Fields, api: str, possible: Possible) -> None:
    """Refuse a topic for an API whose requests name no topics, and so on."""
    named = kinds(possible.apis[api])
    for name, is_named in named._asdict().items():
        if name in match and not is_named:
            apis = [each for each, cls in possible.apis.items() if getattr(kinds(cls), name)]
            raise match.refusal(
                name,
                f"{api} requests have no {name.replace('_', ' ')}; "
                f"it is allowed for {', '.join(sorted(apis))}",
            )
