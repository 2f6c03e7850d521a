"""Describes ``/v1/wait``: the conditions that a client may wait for."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.conditions.faults import RULE_ID_MAX
from broker.admin.conditions.table import CONDITIONS
from broker.admin.facts.facts import LIMIT_MAX
from broker.admin.openapi.cluster import PARTITION_FIELDS
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import choice, flag, required, text, whole
from broker.admin.openapi.schema import INTEGER, STRING, array, nullable, record, ref
from broker.admin.parameters import API_NAMES, LONG_MAX
from broker.admin.wait import TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX

_INT_MAX = 2**31 - 1
_CONDITION = (
    required(choice("for", "the condition", CONDITIONS)),
    choice("api", "of `parked` and `requests`: the API", API_NAMES),
    text("topic", "the topic; of `topic` and `topic_deleted`: required"),
    whole("partition", "a partition of the topic", 0, _INT_MAX),
    text("client", "the client id; of `client_connected` and `client_gone`: required"),
    flag("followers", "of `parked`: 1: also fetches between nodes"),
    text("since", "of `requests`: a mark; requests before it do not count"),
    text("group", "of the conditions of groups: the group; required"),
    whole(
        "count",
        "of requests, replicas in sync, members, connections, acquired records or fires",
        0,
        LIMIT_MAX,
    ),
    whole("members", "of `assigned`: the least number of members", 1, LIMIT_MAX),
    whole("partitions", "the least number: of each member, or of the topic", 0, LIMIT_MAX),
    whole("offset", "of `lso` and `committed`: the least offset", 0, LONG_MAX),
    whole("lag", "of `committed` and `share_lag`: the largest lag", 0, LONG_MAX),
    whole("rule", "of `fault_fired`: the id of the fault rule; required", 0, RULE_ID_MAX),
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
                (HTTPStatus.NOT_FOUND, HTTPStatus.REQUEST_TIMEOUT),
            )
        }
    },
    {
        "Finding": {
            "oneOf": [
                record(requests=array(ref("ParkedRequest"))),
                record(count=INTEGER),
                record(partitions=array(ref("NamedPartition"))),
                record(topic=nullable(ref("Topic"))),
                record(group=ref("Group")),
                record(offsets=array(ref("CommittedOffset"))),
                record(share_partitions=array(ref("SharePartition"))),
                record(connections=array(ref("Connection"))),
                record(fault=ref("FaultRule")),
            ]
        },
        "NamedPartition": record(topic=STRING, **PARTITION_FIELDS),
    },
)
