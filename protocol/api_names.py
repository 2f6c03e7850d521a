"""Kafka's names of the APIs that are decoded here, and of two more that clients use."""

from __future__ import annotations

from protocol.apis import APIS

# Of Kafka 4.3.
_NOT_DECODED = {71: "GetTelemetrySubscriptions", 72: "PushTelemetry"}

_NAMES: dict[int, str] = _NOT_DECODED | {key: api.name for key, api in APIS.items()}
_KEYS = {name: key for key, name in _NAMES.items()}


def api_name(api_key: int) -> str:
    """Kafka's name of an API, or its key as text if that is unknown."""
    return _NAMES.get(api_key) or str(api_key)


def api_key(api_name: str) -> int:
    """The key of an API by its name as `api_name` returns it."""
    return int(api_name) if api_name.isdecimal() else _KEYS[api_name]
