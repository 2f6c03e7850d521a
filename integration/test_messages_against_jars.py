"""Messages and records, compared with the schemas in Kafka's jars."""

from __future__ import annotations

import zipfile
from typing import Any

import pytest

from broker.groups.records.serde import GROUP_RECORDS
from broker.share_coordinator.serde import SHARE_STATE_RECORDS
from integration.kafka.jars import KAFKA_VERSION, kafka_jars
from protocol.messages import REQUESTS, RESPONSES
from tests.protocol.kafka_schemas import (
    assert_same_defaults,
    assert_same_fields,
    assert_same_versions,
    parse,
)

pytestmark = pytest.mark.jvm


def _schema(jar: str, cls: Any) -> Any:
    with zipfile.ZipFile(kafka_jars() / f"{jar}-{KAFKA_VERSION}.jar") as archive:
        return parse(archive.read(f"common/message/{cls.__name__}.json").decode())


@pytest.mark.parametrize("cls", [*REQUESTS.values(), *RESPONSES.values()])
def test_messages_equal_kafkas(cls: Any) -> None:
    """Every field of every version, and its default."""
    schema = _schema("kafka-clients", cls)

    assert_same_fields(cls, schema)
    assert_same_versions(cls, schema)
    assert_same_defaults(cls, schema)


@pytest.mark.parametrize("cls", [cls for pair in GROUP_RECORDS.types.values() for cls in pair])
def test_records_of_groups_equal_kafkas(cls: Any) -> None:
    """Keys and values of ``__consumer_offsets``."""
    schema = _schema("kafka-group-coordinator", cls)

    assert_same_fields(cls, schema)
    assert_same_defaults(cls, schema)


@pytest.mark.parametrize(
    "cls", [cls for pair in SHARE_STATE_RECORDS.types.values() for cls in pair]
)
def test_records_of_share_partitions_equal_kafkas(cls: Any) -> None:
    """Keys and values of ``__share_group_state``."""
    schema = _schema("kafka-share-coordinator", cls)

    assert_same_fields(cls, schema)
    assert_same_defaults(cls, schema)
