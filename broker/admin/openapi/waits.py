"""Describes ``/v1/wait``: the conditions that a client may wait for."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.conditions.table import CONDITIONS
from broker.admin.facts import LIMIT_MAX
from broker.admin.openapi.cluster import PARTITION_FIELDS
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import choice, flag, required, text, whole
from broker.admin.openapi.schema import INTEGER, STRING, array, record, ref
from broker.admin.parameters import API_NAMES
from broker.admin.wait import TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX

_INT_MAX = 2**31 - 1
_CONDITION = (
    required(choice("for", "the condition", CONDITIONS)),
    choice("api", "of `parked`: the API", API_NAMES),
    text("topic", "of `parked`, `hw` and `isr`: the topic"),
    whole("partition", "of `hw` and `isr`: a partition of the topic", 0, _INT_MAX),
    text("client", "of `parked`: the client id"),
    flag("followers", "of `parked`: 1: also fetches between nodes"),
    text("group", "of `group_stable`: the group; required"),
    whole("count", "of requests, of replicas in sync or of members", 0, LIMIT_MAX),
    whole("timeout_ms", "how long to wait, in real time", 0, TIMEOUT_MS_MAX, TIMEOUT_MS_DEFAULT),
)

WAITS = Section(
    "waits",
    "Conditions that a client may wait for.",
    {
        "/v1/wait": {
            "GET": Operation(
                "wait",
                "Wait until a condition holds; the status is 408 after the timeout.",
                ref("Finding"),
                _CONDITION,
                (HTTPStatus.REQUEST_TIMEOUT,),
            )
        }
    },
    {
        "Finding": {
            "oneOf": [
                record(requests=array(ref("ParkedRequest"))),
                record(partitions=array(ref("NamedPartition"))),
                record(group=ref("Group")),
            ]
        },
        "NamedPartition": record(topic=STRING, **PARTITION_FIELDS),
        "Group": record(group=STRING, state=STRING, members=INTEGER),
    },
)
