"""The parameters of a path, each with the values that `Query` accepts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from broker.admin.openapi.schema import Schema
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in the query, or in the path, where all are required."""

    name: str
    description: str
    schema: Schema
    is_required: bool = False
    is_in_path: bool = False

    def described(self) -> dict[str, Any]:
        """The parameter in an OpenAPI document."""
        return {
            "name": self.name,
            "in": "path" if self.is_in_path else "query",
            "description": self.description,
            "required": self.is_required,
            "schema": self.schema,
        }


def text(name: str, description: str) -> Parameter:
    """A text; an empty one is the same as none."""
    return Parameter(name, description, {"type": "string"})


def flag(name: str, description: str) -> Parameter:
    """1 or 0, true or false."""
    schema: Schema = {"type": "string", "enum": ["1", "0", "true", "false"], "default": "0"}
    return Parameter(name, description, schema)


def choice(name: str, description: str, choices: Collection[str]) -> Parameter:
    """One of *choices*; the broker compares them without regard to case."""
    return Parameter(name, description, {"type": "string", "enum": list(choices)})


def whole(
    name: str, description: str, low: int, high: int, default: int | None = None
) -> Parameter:
    """A whole number from *low* to *high*."""
    schema: Schema = {"type": "integer", "minimum": low, "maximum": high}
    return Parameter(name, description, _with_default(schema, default))


def decimal(
    name: str, description: str, low: float, high: float, default: float | None = None
) -> Parameter:
    """A decimal number from *low* to *high*."""
    schema: Schema = {"type": "number", "minimum": low, "maximum": high}
    return Parameter(name, description, _with_default(schema, default))


def required(parameter: Parameter) -> Parameter:
    """The same parameter, without which a request is refused."""
    return replace(parameter, is_required=True)


def in_path(parameter: Parameter) -> Parameter:
    """The same parameter as a part of the path."""
    return replace(parameter, is_required=True, is_in_path=True)


def _with_default(schema: Schema, default: float | None) -> Schema:
    return schema if default is None else {**schema, "default": default}
