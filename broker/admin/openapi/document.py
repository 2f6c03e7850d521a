"""The OpenAPI document of the admin interface, from the descriptions of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from broker.admin.openapi.clean_slate import CLEAN_SLATE
from broker.admin.openapi.clients import CLIENTS
from broker.admin.openapi.clock import CLOCK
from broker.admin.openapi.cluster import CLUSTER
from broker.admin.openapi.description import DESCRIPTION
from broker.admin.openapi.events import EVENTS
from broker.admin.openapi.faults import FAULTS
from broker.admin.openapi.maintenance import MAINTENANCE
from broker.admin.openapi.nodes import NODES
from broker.admin.openapi.operation import JSON, Section
from broker.admin.openapi.requests import REQUESTS
from broker.admin.openapi.schema import STRING, record, ref
from broker.admin.openapi.sessions import SESSIONS
from broker.admin.openapi.share_groups import SHARE_GROUPS
from broker.admin.openapi.statistics import STATISTICS
from broker.admin.openapi.timers import TIMERS
from broker.admin.openapi.transactions import TRANSACTIONS
from broker.admin.openapi.waits import WAITS

SECTIONS: tuple[Section, ...] = (
    CLUSTER,
    REQUESTS,
    WAITS,
    CLIENTS,
    SESSIONS,
    SHARE_GROUPS,
    TRANSACTIONS,
    CLOCK,
    NODES,
    FAULTS,
    CLEAN_SLATE,
    MAINTENANCE,
    TIMERS,
    STATISTICS,
    EVENTS,
    DESCRIPTION,
)
# The first part of the paths, v1: changes that break a client need another one.
_VERSION = "1"
_SUMMARY = "The state, faults, clock and waits of a running broker."


@cache
def openapi_document() -> dict[str, Any]:
    """The document of all sections."""
    return document(SECTIONS)


def document(sections: Sequence[Section]) -> dict[str, Any]:
    """An OpenAPI 3.1 document; a path belongs to one section."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "antechamber", "version": _VERSION, "summary": _SUMMARY},
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "tags": [{"name": each.tag, "description": each.description} for each in sections],
        "paths": {
            path: {method.lower(): each.described(section.tag) for method, each in methods.items()}
            for section in sections
            for path, methods in section.operations.items()
        },
        "components": {
            "schemas": {
                "Error": record(error=STRING),
                **{name: each for section in sections for name, each in section.schemas.items()},
            },
            "responses": {
                "Error": {
                    "description": "The request is refused; `error` is one line.",
                    "content": {JSON: {"schema": ref("Error")}},
                }
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
