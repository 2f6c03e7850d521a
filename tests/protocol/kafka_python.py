"""kafka-python's codec, generated from Kafka's schemas, to compare every byte with."""

from __future__ import annotations

from functools import cache
from typing import Any

from kafka.protocol.api_header import ResponseClassRegistry
from kafka.protocol.api_message import ApiMessage


@cache
def _class_of(name: str) -> Any:
    """A class from the plain schema: some of kafka-python's own classes decode differently.

    A class registers itself when it is created; the library's clients must find their own.
    """
    registry = ResponseClassRegistry._response_class_registry  # noqa: SLF001 - there is no public way
    before = dict(registry)
    try:
        return type(name, (ApiMessage,), {})
    finally:
        registry.clear()
        registry.update(before)


def kafka_python_decode(name: str, version: int, raw: bytes) -> Any:
    """Decode the message *name* with kafka-python."""
    return _class_of(name).decode(raw, version=version)


def kafka_python_encode(message: Any, version: int) -> bytes:
    """Encode a decoded message with kafka-python."""
    message._header = None  # noqa: SLF001 - decoding leaves it unset, encoding reads it
    return bytes(message.encode(version=version))
