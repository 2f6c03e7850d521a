"""kafka-python's codec, made from Kafka's schemas: a second opinion on every byte."""

from __future__ import annotations

from functools import cache
from typing import Any

from kafka.protocol.api_header import ResponseClassRegistry
from kafka.protocol.api_message import ApiMessage


@cache
def _class_of(name: str) -> Any:
    """A class from the plain schema: kafka-python's own ones read some messages their own way.

    A class registers itself when it is made; the library's clients must go on finding theirs.
    """
    registry = ResponseClassRegistry._response_class_registry
    before = dict(registry)
    try:
        return type(name, (ApiMessage,), {})
    finally:
        registry.clear()
        registry.update(before)


def kafka_python_decode(name: str, version: int, raw: bytes) -> Any:
    """The message *name* as kafka-python reads it."""
    return _class_of(name).decode(raw, version=version)


def kafka_python_encode(message: Any, version: int) -> bytes:
    """The bytes that kafka-python writes for a message it has read."""
    message._header = None  # decoding leaves it unset, encoding looks at it
    return bytes(message.encode(version=version))
