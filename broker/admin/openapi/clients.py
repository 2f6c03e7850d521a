"""Describes ``/v1/groups``, ``/v1/connections`` and ``/v1/marks``."""

from __future__ import annotations

from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import flag, text, whole
from broker.admin.openapi.schema import (
    BOOLEAN,
    INTEGER,
    STRING,
    array,
    described,
    nullable,
    one_of,
    record,
    ref,
)

_LIMIT = whole("limit", "the largest number returned", 1, LIMIT_MAX, LIMIT_DEFAULT)

CLIENTS = Section(
    "clients",
    "Groups and connections, and marks of requests.",
    {
        "/v1/groups": {
            "GET": Operation(
                "listGroups",
                "Return the groups with their members, assignments and committed offsets.",
                record(groups=array(ref("Group"))),
                (text("group", "only this group"), _LIMIT),
            )
        },
        "/v1/connections": {
            "GET": Operation(
                "listConnections",
                "Return the open connections, the oldest first.",
                record(connections=array(ref("Connection"))),
                (
                    text("client", "only this client id"),
                    flag("followers", "1: also connections between nodes"),
                    _LIMIT,
                ),
            )
        },
        "/v1/marks": {
            "POST": Operation(
                "mark",
                "Make a mark, from which a wait counts requests.",
                record(mark=STRING),
            )
        },
    },
    {
        "Group": record(
            node=INTEGER,
            group=STRING,
            protocol=one_of("classic", "consumer", "share", "streams"),
            protocol_type=nullable(STRING),
            state=STRING,
            members=array(ref("Member")),
            offsets=array(ref("CommittedOffset")),
        ),
        "Member": record(
            member=STRING,
            instance=nullable(STRING),
            client_id=STRING,
            host=STRING,
            assignment=described(
                {"type": "object", "additionalProperties": array(INTEGER)},
                "partitions by topic; of a member of a streams group, by subtopology",
            ),
        ),
        "CommittedOffset": record(
            topic=STRING,
            partition=INTEGER,
            offset=INTEGER,
            metadata=STRING,
            log_end_offset=nullable(INTEGER),
            lag=nullable(INTEGER),
        ),
        "Connection": record(
            node=INTEGER,
            connection=INTEGER,
            client_id=nullable(STRING),
            software=nullable(STRING),
            software_version=nullable(STRING),
            address=STRING,
            listener=STRING,
            principal=STRING,
            since_us=INTEGER,
            idle_ms=INTEGER,
            requests=INTEGER,
            is_waiting=BOOLEAN,
        ),
    },
)
