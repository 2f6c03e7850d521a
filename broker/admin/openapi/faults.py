"""Describes ``/v1/faults``: the rules by which requests, connections and links fail."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.conditions.faults import RULE_ID_MAX
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import in_path, whole
from broker.admin.openapi.schema import (
    INTEGER,
    NUMBER,
    STRING,
    Schema,
    array,
    nullable,
    one_of,
    record,
    ref,
)
from broker.admin.parameters import API_NAMES

_RULE_ID = (in_path(whole("id", "the id of the rule", 0, RULE_ID_MAX)),)
_TYPES = (
    "error",
    "close",
    "delay",
    "hang",
    "half_open",
    "slow",
    "throttle",
    "corrupt",
    "stale_metadata",
    "refuse_connections",
    "node",
    "hold_high_watermark",
    "hold_isr",
    "loss",
    "cut",
)
_ACTION = record(
    {
        "error": STRING,
        "when": one_of("before", "after"),
        "of": one_of("request", "response"),
        "ms": INTEGER,
        "do": one_of("pause", "resume", "stop", "start"),
        "node": INTEGER,
        "bytes_per_second": INTEGER,
        "at": INTEGER,
        "percent": NUMBER,
        "seed": INTEGER,
    },
    type=one_of(*_TYPES),
)
_MATCH = record(
    {
        "api": one_of(*API_NAMES),
        "version": INTEGER,
        "client": STRING,
        "principal": STRING,
        "listener": STRING,
        "node": INTEGER,
        "topic": STRING,
        "partition": INTEGER,
        "group": STRING,
        "transactional_id": STRING,
        "from": one_of("client", "broker", "any"),
    }
)
_END: Schema = {"anyOf": [INTEGER, one_of("controller")]}
_LINK = record({"from": _END, "to": _END})
_GIVEN: dict[str, Schema] = {
    "match": _MATCH,
    "link": _LINK,
    "nth": {**INTEGER, "default": 1},
    "times": nullable(INTEGER),
    "per": one_of("rule", "client"),
    "for_ms": nullable(INTEGER),
    "name": nullable(STRING),
}
_SEVERAL = record(rules=array(ref("FaultRule")))
_FIRED = {
    "at_us": INTEGER,
    "node": nullable(INTEGER),
    "api": nullable(STRING),
    "client_id": nullable(STRING),
    "correlation_id": nullable(INTEGER),
}
_FIRING = record(rule=INTEGER, name=nullable(STRING), nth=INTEGER, **_FIRED)
_SCHEDULE = record({"schedule": INTEGER, "seed": INTEGER}, rules=array(ref("NewFaultRule")))

FAULTS = Section(
    "faults",
    "Rules by which requests, new connections and links between nodes fail.",
    {
        "/v1/faults": {
            "GET": Operation("listFaults", "Return all rules.", _SEVERAL),
            "POST": Operation(
                "addFaults",
                "Set one rule, or all of several or none of them.",
                {"anyOf": [ref("FaultRule"), _SEVERAL]},
                errors=(HTTPStatus.CONFLICT,),
                body={"anyOf": [ref("NewFaultRule"), _SCHEDULE]},
            ),
            "DELETE": Operation("clearFaults", "Remove all rules.", record(removed=INTEGER)),
        },
        "/v1/firings": {
            "GET": Operation(
                "listFirings",
                "Return which requests the rules have fired on, in order.",
                record(firings=array(_FIRING)),
            ),
        },
        "/v1/faults/{id}": {
            "GET": Operation(
                "getFault",
                "Return a rule.",
                ref("FaultRule"),
                _RULE_ID,
                (HTTPStatus.NOT_FOUND,),
            ),
            "DELETE": Operation(
                "removeFault",
                "Remove a rule and return it.",
                ref("FaultRule"),
                _RULE_ID,
                (HTTPStatus.NOT_FOUND,),
            ),
        },
    },
    {
        "NewFaultRule": record(_GIVEN, action=_ACTION),
        "FaultRule": record(
            {"match": _MATCH, "link": _LINK},
            **{name: each for name, each in _GIVEN.items() if name not in ("match", "link")},
            id=INTEGER,
            action=_ACTION,
            state=one_of("active", "spent", "expired"),
            matched=INTEGER,
            fired=INTEGER,
            last_fired=nullable(record(**_FIRED)),
        ),
    },
)
