"""The JSON Schema of schedules, from the tables by which the broker checks fault rules."""

from __future__ import annotations

import json
from typing import Any

from broker.faults.actions import (
    BYTES_PER_SECOND_MAX,
    DELAY_MS_MAX,
    OFFSET_MAX,
    SEED_MAX,
    THROTTLE_MS_MAX,
    WHEN,
    Corrupt,
    HoldHighWatermark,
    HoldIsr,
    LinkCut,
    StaleMetadata,
)
from broker.faults.fault_rules import RULES_MAX
from broker.faults.fields import TEXT_MAX_CHARACTERS
from broker.faults.node_change import NODE_CHANGES
from broker.faults.read_action import LINK_ACTIONS
from broker.faults.read_rule import COUNT_MAX, FOR_MS_MAX
from broker.faults.rule_spec import (
    CONTROLLER,
    FROM_ANY,
    FROM_BROKER,
    FROM_CLIENT,
    PER_CLIENT,
    PER_RULE,
)
from broker.faults.schedule import FORMAT, SCHEDULE_SEED_MAX
from protocol.apis import APIS
from protocol.errors import ErrorCode

_INT_MAX = 2**31 - 1
_VERSION_MAX = 2**15 - 1
Schema = dict[str, Any]
# Of an action that lasts until its rule is removed or expires.
_UNCOUNTED: Schema = {"nth": {"const": 1}, "times": False}


def schedule_schema() -> str:
    """Return the content of the file."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A schedule of faults of antechamber",
        **_object(
            {
                "schedule": {"const": FORMAT, "description": "the version of this format"},
                "seed": _whole(0, SCHEDULE_SEED_MAX, "the number that the rules were drawn from"),
                "rules": {
                    "type": "array",
                    "maxItems": RULES_MAX,
                    "items": {"$ref": "#/$defs/rule"},
                },
            },
            "rules",
        ),
        "$defs": {"rule": _rule(), "api": {"enum": _apis()}, "error": {"enum": _errors()}},
    }
    return json.dumps(schema, indent=2) + "\n"


def _rule() -> Schema:
    """A rule for requests or connections (with match), or for a link."""
    return {
        **_object(
            {
                "name": _text("shown in wait records; unique among the active rules"),
                "match": _match(),
                "link": _link(),
                "nth": _whole(1, COUNT_MAX, "fires from this match on; by default 1"),
                "per": {
                    "enum": [PER_RULE, PER_CLIENT],
                    "description": "nth and times count for the rule, or for each client id",
                },
                "times": _whole(1, COUNT_MAX, "fires at most so often; by default without limit"),
                "for_ms": _whole(1, FOR_MS_MAX, "expires after this time of the broker's clock"),
                "action": {"type": "object"},
            },
            "action",
        ),
        "if": {"required": ["link"]},
        "then": {
            "properties": {
                "match": False,
                "per": False,
                "action": {"oneOf": [_link_action(kind) for kind in LINK_ACTIONS]},
            },
            "if": _has_action(LinkCut.type),
            "then": {"properties": _UNCOUNTED},
        },
        "else": {
            "properties": {"action": {"oneOf": _actions()}},
            "allOf": [
                _only_for(Corrupt),
                _only_for(StaleMetadata),
                _of_connections(),
                _of_partitions(HoldHighWatermark),
                _of_partitions(HoldIsr),
            ],
        },
    }


def _match() -> Schema:
    node = _whole(0, _INT_MAX, "the id of the node that receives the request")
    origins = [FROM_CLIENT, FROM_BROKER, FROM_ANY]
    return {
        **_object(
            {
                "api": {"$ref": "#/$defs/api"},
                "version": _whole(0, _VERSION_MAX, "a version of the api"),
                "client": _text("a client id, or the beginning of one and *", r"^[^*]*\*?$"),
                "principal": _text("a type and a name: User:ann", r"^[^:]+:[\s\S]+$"),
                "listener": _text("the name of a listener"),
                "node": node,
                "topic": _text("a topic that the request names"),
                "partition": _whole(0, _INT_MAX, "a partition that the request names"),
                "group": _text("a group that the request names"),
                "transactional_id": _text("a transactional id that the request names"),
                "from": {"enum": origins, "description": "who has sent the request"},
            }
        ),
        "dependentRequired": {"version": ["api"]},
    }


def _link() -> Schema:
    node = _whole(0, _INT_MAX, "the id of a node; by default any")
    end = {"anyOf": [node, {"const": CONTROLLER}]}
    return {**_object({"from": end, "to": end}), "description": "one direction between two nodes"}


def _actions() -> list[Schema]:
    when = {"enum": list(WHEN), "description": "before the effect of the request, or after"}
    node = _whole(0, _INT_MAX, "the id of a node")
    delay_ms = _whole(1, DELAY_MS_MAX)
    return [
        _action("error", {"error": {"$ref": "#/$defs/error"}, "when": when}, "error"),
        _action("close", {"when": when}),
        _action("hang", {"when": when}),
        _action("delay", {"ms": delay_ms, "of": {"enum": ["request", "response"]}}, "ms"),
        _action("half_open"),
        _action("slow", {"bytes_per_second": _whole(1, BYTES_PER_SECOND_MAX)}, "bytes_per_second"),
        _action("throttle", {"ms": _whole(1, THROTTLE_MS_MAX)}, "ms"),
        _action("corrupt"),
        _action("stale_metadata"),
        _action("refuse_connections"),
        _action(HoldHighWatermark.type, {"at": _whole(0, OFFSET_MAX)}, "at"),
        _action(HoldIsr.type),
        _action(
            "node",
            {
                "do": {"enum": list(NODE_CHANGES)},
                "node": node,
                "ms": _whole(1, DELAY_MS_MAX, "undone after this time; by default not undone"),
            },
            "do",
            "node",
        ),
    ]


def _link_action(kind: str) -> Schema:
    if kind == "delay":
        return _action(kind, {"ms": _whole(1, DELAY_MS_MAX)}, "ms")
    if kind == "loss":
        percent = {"type": "number", "exclusiveMinimum": 0, "maximum": 100}
        return _action(kind, {"percent": percent, "seed": _whole(0, SEED_MAX)}, "percent")
    return _action(kind)


def _only_for(action: type[Corrupt | StaleMetadata]) -> Schema:
    """An action that only requests of some APIs can have."""
    api = {"properties": {"api": {"enum": list(action.apis or ())}}}
    return {"if": _has_action(action.type), "then": {"properties": {"match": api}}}


def _of_connections() -> Schema:
    """New connections have neither an API nor a client id."""
    match = {"propertyNames": {"enum": ["node", "listener"]}}
    return {
        "if": _has_action("refuse_connections"),
        "then": {"properties": {"match": match, "per": {"const": PER_RULE}}},
    }


def _of_partitions(action: type[HoldHighWatermark | HoldIsr]) -> Schema:
    """A hold has a topic, and no counts."""
    match = {"propertyNames": {"enum": ["topic", "partition"]}, "required": ["topic"]}
    properties = {"match": match, "per": {"const": PER_RULE}, **_UNCOUNTED}
    return {
        "if": _has_action(action.type),
        "then": {"properties": properties, "required": ["match"]},
    }


def _has_action(kind: str) -> Schema:
    action = {"properties": {"type": {"const": kind}}, "required": ["type"]}
    return {"properties": {"action": action}}


def _action(kind: str, properties: Schema | None = None, *required: str) -> Schema:
    return _object({"type": {"const": kind}, **(properties or {})}, "type", *required)


def _object(properties: Schema, *required: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _whole(low: int, high: int, description: str = "") -> Schema:
    described = {"description": description} if description else {}
    return {"type": "integer", "minimum": low, "maximum": high, **described}


def _text(description: str, pattern: str = "") -> Schema:
    matched = {"pattern": pattern} if pattern else {}
    length = {"minLength": 1, "maxLength": TEXT_MAX_CHARACTERS}
    return {"type": "string", **length, **matched, "description": description}


def _apis() -> list[str]:
    return sorted(api.name for api in APIS.values())


def _errors() -> list[str]:
    return [code.name for code in ErrorCode if code is not ErrorCode.NONE]
