"""Methods of kafka-python's KafkaAdminClient about topics, their records and configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from kafka import TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic
from kafka.protocol.admin.topics import ElectionType

from integration.machine.deadlines import eventually
from integration.methods.fixtures import Fixtures
from integration.methods.method_table import Method, called


def _first(on: Fixtures) -> TopicPartition:
    return TopicPartition(on.topic, 0)


def _id(admin: Any, on: Fixtures) -> UUID:
    return UUID(str(admin.describe_topics([on.topic])[0]["topic_id"]))


def _config(on: Fixtures, **configs: Any) -> ConfigResource:
    return ConfigResource(ConfigResourceType.TOPIC, on.topic, configs or None)


def _altered(admin: Any, on: Fixtures, change: Mapping[str, Any], **options: Any) -> Any:
    """Alter a topic's configuration; returns the result, and the configuration then."""
    result = admin.alter_configs([_config(on, **change)], **options)
    return result, _settings(admin, on, options.get("validate_only", False))


def _settings(admin: Any, on: Fixtures, unchanged: bool) -> Any:
    """Return the topic's own settings, once a change has reached the broker."""

    def settings() -> Any:
        return admin.describe_configs([_config(on)])["topic"][on.topic]

    return settings() if unchanged else eventually(settings, "a setting")


def _reset(admin: Any, on: Fixtures, **options: Any) -> Any:
    changes = {"retention.ms": "70000", "flush.ms": "70000"}
    admin.alter_configs([_config(on, **changes)])
    eventually(lambda: _settings(admin, on, False).keys() == changes.keys(), "both settings")
    result = admin.reset_configs([_config(on, **{"retention.ms": None})], **options)
    count = len(changes) if options.get("validate_only") else 1
    eventually(lambda: len(_settings(admin, on, False)) == count, "what is left")
    return result, _settings(admin, on, False)


def _directories(admin: Any, on: Fixtures, **options: Any) -> Any:
    """Describe log directories, without their paths and free space."""
    return [
        (node.get("broker"), _partitions(on, node["log_dirs"]))
        for node in admin.describe_log_dirs(**options)
    ]


def _partitions(on: Fixtures, directories: Any) -> Any:
    return [
        (each["error_code"], topic["partitions"])
        for each in directories
        for topic in each["topics"]
        if on.is_mine(topic["name"])
    ]


def _elected(admin: Any, kind: Any, *args: Any, **options: Any) -> Any:
    return admin.elect_leaders(kind, *args, raise_errors=False, **options)


def _moved(admin: Any, on: Fixtures) -> Any:
    (node,) = admin.describe_log_dirs([on.topic])
    (directory,) = [each["log_dir"] for each in node["log_dirs"]]
    return list(admin.alter_replica_log_dirs({(on.topic, 0, 1): directory}).values())


METHODS: Mapping[str, Method] = {
    "alter_configs": called(
        defaults=lambda admin, on: _altered(admin, on, {"retention.ms": "7"}),
        operation=lambda admin, on: _altered(admin, on, {"cleanup.policy": ("APPEND", "compact")}),
        validate_only=lambda admin, on: _altered(
            admin, on, {"retention.ms": "7"}, validate_only=True
        ),
        not_incremental=lambda admin, on: _altered(
            admin, on, {"retention.ms": "7"}, incremental=False
        ),
        unknown=lambda admin, on: _altered(admin, on, {"no.key": "7"}),
        unknown_accepted=lambda admin, on: admin.alter_configs(
            [_config(on, **{"no.key": "7"})], raise_on_unknown=False
        ),
    ),
    "alter_partition_reassignments": called(
        defaults=lambda admin, on: admin.alter_partition_reassignments({_first(on): [1]}),
        cancelled=lambda admin, on: admin.alter_partition_reassignments(
            {_first(on): None}, timeout_ms=60_000
        ),
        unknown_node=lambda admin, on: admin.alter_partition_reassignments({_first(on): [7]}),
        absent_topic=lambda admin, on: admin.alter_partition_reassignments(
            {TopicPartition(on.absent, 0): [1]}
        ),
    ),
    "alter_replica_log_dirs": called(
        defaults=_moved,
        absent_directory=lambda admin, on: admin.alter_replica_log_dirs(
            {(on.topic, 0, 1): "/no/such/directory"}
        ),
    ),
    "create_partitions": called(
        defaults=lambda admin, on: admin.create_partitions({on.topic: 3}),
        new_partitions=lambda admin, on: admin.create_partitions({on.topic: NewPartitions(3)}),
        assignments=lambda admin, on: admin.create_partitions(
            {on.topic: {"count": 4, "assignments": [[1], [1]]}}
        ),
        validate_only=lambda admin, on: admin.create_partitions(
            {on.topic: 3}, timeout_ms=60_000, validate_only=True
        ),
        fewer=lambda admin, on: admin.create_partitions({on.topic: 1}),
        fewer_not_raised=lambda admin, on: admin.create_partitions(
            {on.topic: 1}, raise_errors=False
        ),
    ),
    "create_topics": called(
        defaults=lambda admin, on: admin.create_topics([on.named("t")]),
        options=lambda admin, on: admin.create_topics(
            {
                on.named("t"): {
                    "num_partitions": 2,
                    "replication_factor": 1,
                    "configs": {"cleanup.policy": "compact"},
                }
            }
        ),
        assignments=lambda admin, on: admin.create_topics(
            {on.named("t"): {"assignments": {0: [1], 1: [1]}}}
        ),
        new_topic=lambda admin, on: admin.create_topics(
            [NewTopic(on.named("t"), 1, 1)], timeout_ms=60_000
        ),
        validate_only=lambda admin, on: admin.create_topics([on.named("t")], validate_only=True),
        wait=lambda admin, on: admin.create_topics([on.named("t")], wait_for_metadata=True),
        existing=lambda admin, on: admin.create_topics([on.topic]),
        existing_not_raised=lambda admin, on: admin.create_topics([on.topic], raise_errors=False),
    ).ignoring("topic_id"),
    "delete_records": called(
        defaults=lambda admin, on: admin.delete_records({_first(on): 2}),
        leader=lambda admin, on: admin.delete_records(
            {_first(on): -1}, timeout_ms=60_000, partition_leader_id=1
        ),
        beyond_the_end=lambda admin, on: admin.delete_records({_first(on): 9}),
    ),
    "delete_topics": called(
        defaults=lambda admin, on: admin.delete_topics([on.topic]),
        absent=lambda admin, on: admin.delete_topics([on.absent], timeout_ms=60_000),
        absent_not_raised=lambda admin, on: admin.delete_topics([on.absent], raise_errors=False),
        by_id=lambda admin, on: admin.delete_topics([_id(admin, on)]),
    ).ignoring("topic_id"),
    "describe_configs": called(
        defaults=lambda admin, on: admin.describe_configs([_config(on)]),
        all=lambda admin, on: admin.describe_configs([_config(on)], config_filter="all"),
        dynamic=lambda admin, on: admin.describe_configs([_config(on)], config_filter="dynamic"),
        some=lambda admin, on: admin.describe_configs(
            [_config(on, **{"retention.ms": None, "cleanup.policy": None})], config_filter="all"
        ),
        synonyms=lambda admin, on: admin.describe_configs(
            [_config(on, **{"cleanup.policy": None})], include_synonyms=True, config_filter="all"
        ),
        broker=lambda admin, _: admin.describe_configs(
            [ConfigResource("broker", "1", {"log.cleaner.threads": None, "num.io.threads": None})],
            config_filter="all",
        ),
    ),
    "describe_log_dirs": called(
        defaults=_directories,
        topics=lambda admin, on: _directories(admin, on, topic_partitions=[on.topic]),
        partitions=lambda admin, on: _directories(
            admin, on, topic_partitions={on.topic: [0]}, brokers=[1]
        ),
    )
    .given("topic")
    .in_any_order(),
    "describe_producers": called(
        defaults=lambda admin, on: admin.describe_producers([_first(on)]),
        broker=lambda admin, on: admin.describe_producers([_first(on)], broker_id=1),
        absent=lambda admin, on: admin.describe_producers([TopicPartition(on.absent, 0)]),
    ),
    "describe_topic_partitions": called(
        defaults=lambda admin, on: admin.describe_topic_partitions([on.topic]),
        limit=lambda admin, on: admin.describe_topic_partitions(
            [on.topic], response_partition_limit=1
        ),
        cursor=lambda admin, on: admin.describe_topic_partitions(
            [on.topic], cursor={"topic_name": on.topic, "partition_index": 1}
        ),
        absent=lambda admin, on: admin.describe_topic_partitions([on.absent]),
    ).ignoring("topic_id"),
    "describe_topics": called(
        defaults=lambda admin, on: [
            each for each in admin.describe_topics() if on.is_mine(each["name"])
        ],
        of_one=lambda admin, on: admin.describe_topics([on.topic]),
        absent=lambda admin, on: admin.describe_topics(topics=[on.absent]),
        by_id=lambda admin, on: admin.describe_topics([_id(admin, on)]),
        absent_id=lambda admin, _: admin.describe_topics([UUID(int=4711)]),
    )
    .given("topic")
    .ignoring("topic_id"),
    "elect_leaders": called(
        defaults=lambda admin, on: admin.elect_leaders(ElectionType.PREFERRED, {on.topic: [0]}),
        not_raised=lambda admin, on: _elected(admin, ElectionType.PREFERRED, {on.topic: [0]}),
        topics=lambda admin, on: _elected(admin, 0, [on.topic], timeout_ms=60_000),
        unclean=lambda admin, on: _elected(admin, ElectionType.UNCLEAN, {on.topic: [0]}),
        absent=lambda admin, on: _elected(admin, 0, {on.absent: [0]}),
    ).in_any_order(),
    "list_partition_reassignments": called(
        defaults=lambda admin, _: admin.list_partition_reassignments(),
        partitions=lambda admin, on: admin.list_partition_reassignments(
            [_first(on)], timeout_ms=60_000
        ),
        topics=lambda admin, on: admin.list_partition_reassignments({on.topic: [0]}),
    ),
    "list_topics": called(defaults=lambda admin, on: on.mine(admin.list_topics())).given("topic"),
    "reset_configs": called(
        defaults=_reset,
        validate_only=lambda admin, on: _reset(admin, on, validate_only=True),
        not_incremental=lambda admin, on: _reset(admin, on, incremental=False),
        unknown=lambda admin, on: admin.reset_configs(
            [_config(on, **{"no.key": None})], raise_on_unknown=False
        ),
    ),
    "wait_for_topics": called(
        defaults=lambda admin, on: admin.wait_for_topics([on.topic]),
        timeout=lambda admin, on: admin.wait_for_topics([on.topic], timeout_ms=5_000),
        absent=lambda admin, on: admin.wait_for_topics([on.absent], timeout_ms=500),
    ),
}
