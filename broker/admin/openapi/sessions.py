"""Describes ``/v1/sessions``: the timeouts of group members."""

from __future__ import annotations

from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import text, whole
from broker.admin.openapi.schema import INTEGER, STRING, array, one_of, record, ref

SESSIONS = Section(
    "sessions",
    "The timeouts of group members.",
    {
        "/v1/sessions": {
            "GET": Operation(
                "listSessions",
                "Return the timeouts of group members, the next one first.",
                record(sessions=array(ref("MemberTimeout"))),
                (
                    text("group", "only the members of this group"),
                    whole("limit", "the largest number returned", 1, LIMIT_MAX, LIMIT_DEFAULT),
                ),
            )
        }
    },
    {
        "MemberTimeout": record(
            node=INTEGER,
            group=STRING,
            member=STRING,
            kind=one_of("session", "pending", "rebalance", "join", "sync"),
            timeout_ms=INTEGER,
            remaining_ms=INTEGER,
        )
    },
)
