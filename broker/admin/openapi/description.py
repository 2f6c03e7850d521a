"""Describes this description."""

from __future__ import annotations

from broker.admin.openapi.operation import Operation, Section

DESCRIPTION = Section(
    "description",
    "The description of the interface.",
    {
        "/v1/openapi.json": {
            "GET": Operation("getDescription", "Return this document.", {"type": "object"})
        }
    },
    {},
)
