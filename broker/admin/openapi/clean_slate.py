"""Describes ``/v1/reset``: the removal of what clients have made."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import text
from broker.admin.openapi.schema import INTEGER, STRING, Schema, array, record, ref

_SETTINGS = (
    "client_quotas",
    "configs",
    "features",
    "acls",
    "scram_credentials",
    "delegation_tokens",
)
# With a prefix only the configs of groups are removed.
_OPTIONAL: dict[str, Schema] = {name: INTEGER for name in _SETTINGS if name != "configs"}

CLEAN_SLATE = Section(
    "reset",
    "The removal of what clients have made.",
    {
        "/v1/reset": {
            "POST": Operation(
                "reset",
                "Remove topics, groups, transactions and settings; connections stay open.",
                ref("Removed"),
                (text("prefix", "only topics, groups and transactional ids with this prefix"),),
                (HTTPStatus.CONFLICT,),
            )
        }
    },
    {
        "Removed": record(
            _OPTIONAL,
            topics=INTEGER,
            recreated=array(STRING),
            groups=INTEGER,
            transactional_ids=INTEGER,
            parked_requests=INTEGER,
            fault_rules=INTEGER,
            configs=INTEGER,
            resumed=array(INTEGER),
            started=array(INTEGER),
        )
    },
)
