"""Compares every field of every version of every message with Kafka's own schemas.

The schemas are Kafka's JSON files from kafka-python's wheel. A failure shows the difference to a
new Kafka version.
"""

from __future__ import annotations

import importlib.resources
from typing import Any

import pytest

from protocol.messages import REQUESTS, RESPONSES
from tests.protocol.kafka_schemas import (
    ONLY_IN_KAFKAS_JARS,
    assert_same_defaults,
    assert_same_fields,
    assert_same_versions,
    is_known_to_kafka_python,
    parse,
)

_SCHEMAS = importlib.resources.files("kafka.protocol.schemas.resources")
_CASES = [
    pytest.param(cls, id=cls.__name__)
    for messages in (REQUESTS, RESPONSES)
    for cls in messages.values()
    if is_known_to_kafka_python(cls)
]


def _schema(cls: Any) -> Any:
    return parse((_SCHEMAS / f"{cls.__name__}.json").read_text())


@pytest.mark.parametrize("cls", _CASES)
def test_fields_are_kafkas(cls: Any) -> None:
    """Names, types, order, nullability and tags agree in every version."""
    assert_same_fields(cls, _schema(cls))


@pytest.mark.parametrize("cls", _CASES)
def test_versions_are_kafkas(cls: Any) -> None:
    """API key, range of versions and first flexible version agree."""
    assert_same_versions(cls, _schema(cls))


@pytest.mark.parametrize("cls", _CASES)
def test_defaults_are_kafkas(cls: Any) -> None:
    """A field that may be absent has the same default on both sides."""
    assert_same_defaults(cls, _schema(cls))


@pytest.mark.parametrize("name", ONLY_IN_KAFKAS_JARS)
def test_what_is_not_compared_here_cannot_be(name: str) -> None:
    """An API that kafka-python has is compared like the others."""
    assert not (_SCHEMAS / f"{name}Request.json").is_file()
