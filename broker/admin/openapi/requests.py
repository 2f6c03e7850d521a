"""Describes ``/v1/requests``: the requests that wait, and wait records."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import choice, flag, text, whole
from broker.admin.openapi.records import PARKED_REQUEST, RECORD_SCHEMAS
from broker.admin.openapi.schema import array, record, ref
from broker.admin.parameters import API_NAMES

_INT_MAX = 2**31 - 1
_SELECTION = (
    flag("parked", "1: the requests that wait now; else those that have ended"),
    choice("api", "only this API", API_NAMES),
    text("topic", "only requests that name a partition of this topic"),
    text("client", "only this client id"),
    whole("correlation", "only this correlation id", 0, _INT_MAX),
    flag("followers", "1: also the fetches by which nodes replicate from each other"),
    whole("limit", "the largest number returned", 1, LIMIT_MAX, LIMIT_DEFAULT),
)

REQUESTS = Section(
    "requests",
    "Requests that wait, and wait records.",
    {
        "/v1/requests": {
            "GET": Operation(
                "listRequests",
                "Return the requests that wait now, or the wait records of the latest requests.",
                record(requests=array({"oneOf": [ref("ParkedRequest"), ref("WaitRecord")]})),
                _SELECTION,
                (HTTPStatus.NOT_IMPLEMENTED,),
            )
        }
    },
    {"ParkedRequest": PARKED_REQUEST, **RECORD_SCHEMAS},
)
