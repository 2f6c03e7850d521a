"""Converts the results of client methods to JSON values."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import enum
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

RESULT_WITHIN_S = 120
_ITSELF = (bool, int, str, type(None))


def to_json(value: Any) -> Any:
    """Return *value* as JSON: futures resolved, objects as their public attributes."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, _ITSELF):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return repr(bytes(value))
    if isinstance(value, BaseException):
        return _error(value)
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, concurrent.futures.Future):
        return _future(value)
    return _container(value)


def _container(value: Any) -> Any:
    if isinstance(value, Mapping):
        reported = {_key(key): to_json(part) for key, part in value.items()}
        return dict(sorted(reported.items()))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: to_json(getattr(value, name)) for name in value._fields}
    if isinstance(value, AbstractSet):
        return sorted((to_json(part) for part in value), key=str)
    if isinstance(value, list | tuple) or type(value).__name__ in ("dict_keys", "dict_values"):
        return [to_json(part) for part in value]
    if dataclasses.is_dataclass(value):
        return {each.name: to_json(getattr(value, each.name)) for each in dataclasses.fields(value)}
    return _object(value)


def _object(value: Any) -> Any:
    """Convert an object: by its own conversion to a dictionary, or by its public attributes."""
    for name in ("to_dict", "to_object"):
        if callable(convert := getattr(value, name, None)):
            return to_json(convert())
    if type(value).__name__ in _ACCESSORS:
        reported = {
            name: to_json(getattr(value, name)()) for name in _ACCESSORS[type(value).__name__]
        }
        return _without_empty(reported)
    public = [name for name in dir(value) if not name.startswith("_")]
    fields = {name: getattr(value, name) for name in public}
    reported = {name: to_json(field) for name, field in fields.items() if not callable(field)}
    return _without_empty(reported) or type(value).__name__


def _without_empty(reported: dict[str, Any]) -> dict[str, Any]:
    """Remove empty attributes, to shorten the lines."""
    return {
        name: part
        for name, part in reported.items()
        if part is not None and part is not False and part not in ([], {}, "")
    }


# Classes of confluent-kafka whose fields are methods.
_ACCESSORS = {
    "KafkaError": ("name", "str", "fatal", "retriable", "txn_requires_abort"),
    "Message": (
        *("delivery_count", "error", "headers", "key", "leader_epoch", "offset"),
        *("partition", "timestamp", "topic", "value"),
    ),
}


def _error(error: BaseException) -> Any:
    """Convert an exception: its class, and its message or the library errors it carries."""
    carried = [part for part in error.args if type(part).__name__ in _ACCESSORS]
    words: Any = to_json(carried) if carried else str(error)
    return {"raised": type(error).__name__, "message": words}


def _future(future: concurrent.futures.Future[Any]) -> Any:
    try:
        return to_json(future.result(RESULT_WITHIN_S))
    except Exception as error:
        return _error(error)


def _key(key: Any) -> str:
    reported = to_json(key)
    if isinstance(reported, dict):
        return " ".join(f"{name}={value}" for name, value in reported.items())
    return str(reported)
