"""The description of one method of one path."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from broker.admin.openapi.parameters import Parameter
from broker.admin.openapi.schema import Schema
from protocol.lazy_dataclass import dataclass

JSON = "application/json"
# Any request can be refused for its parameters, its token or its origin, or meet a bug.
_ALWAYS = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.INTERNAL_SERVER_ERROR,
)
_ERROR = {"$ref": "#/components/responses/Error"}


@dataclass(frozen=True, slots=True)
class Operation:
    """What a request does, what it accepts, and what it returns.

    ``name`` identifies it; generators of clients name their methods so. ``errors`` are the statuses
    that it can have in addition to those of every request. ``body`` is None if it reads none.
    """

    name: str
    summary: str
    response: Schema
    parameters: tuple[Parameter, ...] = ()
    errors: tuple[HTTPStatus, ...] = ()
    body: Schema | None = None
    content_type: str = JSON

    def described(self, tag: str) -> dict[str, Any]:
        """The operation in an OpenAPI document."""
        success = {
            "description": HTTPStatus.OK.phrase,
            "content": {self.content_type: {"schema": self.response}},
        }
        statuses = sorted({*_ALWAYS, *self.errors})
        return {
            "operationId": self.name,
            "summary": self.summary,
            "tags": [tag],
            "parameters": [each.described() for each in self.parameters],
            **self._request_body(),
            "responses": {
                str(HTTPStatus.OK.value): success,
                **{str(status.value): _ERROR for status in statuses},
                "default": _ERROR,
            },
        }

    def _request_body(self) -> dict[str, Any]:
        if self.body is None:
            return {}
        return {"requestBody": {"required": True, "content": {JSON: {"schema": self.body}}}}


@dataclass(frozen=True, slots=True)
class Section:
    """The operations of one subject, and the named schemas that they use.

    ``operations``: path -> method -> operation, as the table of routes.
    """

    tag: str
    description: str
    operations: Mapping[str, Mapping[str, Operation]]
    schemas: Mapping[str, Schema]
