"""Parses the body of a request: one JSON value, in which no name is given twice."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from broker.common.errors import InvalidValue


def parse_json(body: bytes) -> object:
    """The value; raises `InvalidValue`."""
    if not body:
        raise InvalidValue("the body: give a JSON object")
    try:
        value: object = json.loads(body, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # an invalid text, number or encoding
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidValue(f"the body: it is not JSON: {reason}") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict[str, Any]()
    for name, value in pairs:
        if name in values:
            raise InvalidValue(f"the body: {name!r} is given twice")
        values[name] = value
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidValue(f"the body: {name} is not a number that JSON has")
