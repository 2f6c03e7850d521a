"""Builds JSON schemas (draft 2020-12, as OpenAPI 3.1 uses them).

An object of `record` may have further fields: a client ignores fields that it does not know, so
that the broker can add some. The tests do not allow further fields, so that none is undescribed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
STRING: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
# An object whose keys are the names of what is counted.
COUNTS: Schema = {"type": "object", "additionalProperties": INTEGER}


def record(optional: Mapping[str, Schema] | None = None, /, **required: Schema) -> Schema:
    """An object with the fields *required*, which it always has, and those of *optional*."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


def array(items: Schema) -> Schema:
    """A list of *items*."""
    return {"type": "array", "items": items}


def nullable(schema: Schema) -> Schema:
    """A value of *schema*, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(*values: str) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": list(values)}


def described(schema: Schema, description: str) -> Schema:
    """The schema with a description."""
    return {**schema, "description": description}


def ref(name: str) -> Schema:
    """The schema of this name in the components of the document."""
    return {"$ref": f"#/components/schemas/{name}"}
