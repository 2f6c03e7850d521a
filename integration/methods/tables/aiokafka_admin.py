"""The table of aiokafka's AIOKafkaAdminClient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called


async def _make(on: Fixtures, settings: Mapping[str, Any]) -> AIOKafkaAdminClient:
    base = {"bootstrap_servers": on.bootstrap, "client_id": on.client_id}
    admin = AIOKafkaAdminClient(**base | dict(settings))
    await admin.start()
    return admin


async def _close(admin: AIOKafkaAdminClient) -> None:
    await admin.close()


def _config(on: Fixtures, **configs: Any) -> ConfigResource:
    return ConfigResource(ConfigResourceType.TOPIC, on.topic, configs or None)


def _first(on: Fixtures) -> TopicPartition:
    return TopicPartition(on.topic, 0)


async def _started(_: Any, on: Fixtures) -> Any:
    admin = await on.make()
    return await admin.start()


async def _topics(admin: Any, on: Fixtures) -> Any:
    return on.mine(await admin.list_topics())


async def _described_topics(admin: Any, on: Fixtures) -> Any:
    return [each for each in await admin.describe_topics() if on.is_mine(each["topic"])]


async def _groups(admin: Any, on: Fixtures, **options: Any) -> Any:
    return [each for each in await admin.list_consumer_groups(**options) if on.is_mine(each[0])]


NET = MethodTable(
    library="aiokafka",
    of=AIOKafkaAdminClient,
    make=_make,
    close=_close,
    asynchronous=True,
    methods={
        "alter_configs": called(
            defaults=lambda admin, on: admin.alter_configs([_config(on, **{"retention.ms": "7"})]),
            unknown=lambda admin, on: admin.alter_configs([_config(on, **{"no.key": "7"})]),
        ),
        "close": called(defaults=lambda admin, _: admin.close()),
        "create_partitions": called(
            defaults=lambda admin, on: admin.create_partitions({on.topic: NewPartitions(3)}),
            assignments=lambda admin, on: admin.create_partitions(
                {on.topic: NewPartitions(4, [[1], [1]])}, timeout_ms=60_000
            ),
            validate_only=lambda admin, on: admin.create_partitions(
                {on.topic: NewPartitions(3)}, validate_only=True
            ),
            fewer=lambda admin, on: admin.create_partitions({on.topic: NewPartitions(1)}),
        ),
        "create_topics": called(
            defaults=lambda admin, on: admin.create_topics([NewTopic(on.named("t"), 1, 1)]),
            configs=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 1, 1, topic_configs={"cleanup.policy": "compact"})],
                timeout_ms=60_000,
            ),
            assignments=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), -1, -1, replica_assignments={0: [1], 1: [1]})]
            ),
            validate_only=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 1, 1)], validate_only=True
            ),
            existing=lambda admin, on: admin.create_topics([NewTopic(on.topic, 1, 1)]),
        ),
        "delete_records": called(
            defaults=lambda admin, on: admin.delete_records({_first(on): RecordsToDelete(2)}),
            timeout=lambda admin, on: admin.delete_records(
                {_first(on): RecordsToDelete(1)}, timeout_ms=60_000
            ),
            beyond_the_end=lambda admin, on: admin.delete_records({_first(on): RecordsToDelete(9)}),
        ),
        "delete_topics": called(
            defaults=lambda admin, on: admin.delete_topics([on.topic]),
            absent=lambda admin, on: admin.delete_topics([on.absent], timeout_ms=60_000),
        ),
        "describe_cluster": called(defaults=lambda admin, _: admin.describe_cluster()),
        "describe_configs": called(
            defaults=lambda admin, on: admin.describe_configs([_config(on)]),
            some=lambda admin, on: admin.describe_configs(
                [_config(on, **{"cleanup.policy": "", "retention.bytes": ""})]
            ),
            synonyms=lambda admin, on: admin.describe_configs(
                [_config(on, **{"cleanup.policy": ""})], include_synonyms=True
            ),
        ).in_any_order(),
        "describe_consumer_groups": called(
            defaults=lambda admin, on: admin.describe_consumer_groups([on.group]),
            coordinator=lambda admin, on: admin.describe_consumer_groups(
                [on.group], group_coordinator_id=1, include_authorized_operations=True
            ),
            absent=lambda admin, on: admin.describe_consumer_groups([on.new_group]),
        ),
        "describe_topics": called(
            defaults=_described_topics,
            of_one=lambda admin, on: admin.describe_topics([on.topic]),
            absent=lambda admin, on: admin.describe_topics([on.absent]),
        ).given("topic"),
        "find_coordinator": called(
            defaults=lambda admin, on: admin.find_coordinator(on.group),
            of_transactions=lambda admin, on: admin.find_coordinator(on.transaction, 1),
        ),
        "list_consumer_group_offsets": called(
            defaults=lambda admin, on: admin.list_consumer_group_offsets(on.group),
            partitions=lambda admin, on: admin.list_consumer_group_offsets(
                on.group,
                group_coordinator_id=1,
                partitions=[_first(on), TopicPartition(on.topic, 1)],
            ),
            absent=lambda admin, on: admin.list_consumer_group_offsets(on.new_group),
        ),
        "list_consumer_groups": called(
            defaults=_groups, brokers=lambda admin, on: _groups(admin, on, broker_ids=[1])
        ).given("group"),
        "list_topics": called(defaults=_topics).given("topic"),
        "start": called(defaults=_started),
    },
)
