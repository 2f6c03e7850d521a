"""Describes ``/v1/events``: the events of the live page."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.schema import STRING

EVENTS = Section(
    "events",
    "The state of the cluster as server-sent events, which the live page at `/` shows.",
    {
        "/v1/events": {
            "GET": Operation(
                "getEvents",
                "Send the state after each change, until the client disconnects.",
                STRING,
                errors=(HTTPStatus.SERVICE_UNAVAILABLE,),
                content_type="text/event-stream",
            )
        }
    },
    {},
)
