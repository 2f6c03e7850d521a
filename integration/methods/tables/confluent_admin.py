"""The table of confluent-kafka's AdminClient (librdkafka)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    ElectionType,
    IsolationLevel,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from integration.machine.deadlines import eventually
from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called


def _make(on: Fixtures, settings: Mapping[str, Any]) -> AdminClient:
    base = {"bootstrap.servers": on.bootstrap, "client.id": on.client_id, "log_level": 0}
    return AdminClient(base | dict(settings))


def _first(on: Fixtures) -> TopicPartition:
    return TopicPartition(on.topic, 0)


def _resource(on: Fixtures, **configs: str) -> ConfigResource:
    return ConfigResource(ResourceType.TOPIC, on.topic, set_config=configs)


def _change(
    on: Fixtures, key: str, value: str | None, operation: AlterConfigOpType
) -> ConfigResource:
    entry = ConfigEntry(key, value, incremental_operation=operation)
    return ConfigResource(ResourceType.TOPIC, on.topic, incremental_configs=[entry])


def _set(on: Fixtures) -> ConfigResource:
    return _change(on, "retention.ms", "70000", AlterConfigOpType.SET)


def _offsets(on: Fixtures, offset: int) -> ConsumerGroupTopicPartitions:
    return ConsumerGroupTopicPartitions(on.group, [TopicPartition(on.topic, 0, offset)])


def _acl(on: Fixtures) -> AclBinding:
    return AclBinding(
        *(ResourceType.TOPIC, on.topic, ResourcePatternType.LITERAL, "User:someone", "*"),
        *(AclOperation.READ, AclPermissionType.ALLOW),
    )


def _acls(name: str | None = None) -> AclBindingFilter:
    return AclBindingFilter(
        *(ResourceType.TOPIC, name, ResourcePatternType.ANY, None, None),
        *(AclOperation.ANY, AclPermissionType.ANY),
    )


def _scram(on: Fixtures) -> UserScramCredentialUpsertion:
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    return UserScramCredentialUpsertion(on.named("user"), info, b"secret", b"salt")


def _topics_of(admin: Any, on: Fixtures, *args: Any, **kwargs: Any) -> Any:
    """List topics, without those of other shapes."""
    listed = admin.list_topics(*args, **kwargs)
    return listed.brokers, listed.controller_id, on.mine(listed.topics)


def _created(admin: Any, on: Fixtures) -> Any:
    """List an absent topic until it is created, because metadata is updated asynchronously."""

    def is_there() -> bool:
        return admin.list_topics(topic=on.absent).topics[on.absent].error is None

    eventually(is_there, "the topic")
    return _topics_of(admin, on, on.absent)


def _groups_of(admin: Any, on: Fixtures, **kwargs: Any) -> Any:
    listed = admin.list_consumer_groups(**kwargs).result(60)
    return [each for each in listed.valid if on.is_mine(each.group_id)], listed.errors


def _elected(admin: Any, on: Fixtures) -> Any:
    """Elect the leaders of all partitions; only partitions of other nodes are in the response."""
    errors = admin.elect_leaders(ElectionType.PREFERRED).result(60)
    return on.mine({partition.topic: error for partition, error in errors.items()})


NET = MethodTable(
    library="confluent-kafka",
    of=AdminClient,
    make=_make,
    close=lambda _: None,
    methods={
        "alter_configs": called(
            defaults=lambda admin, on: admin.alter_configs(
                [_resource(on, **{"retention.ms": "7"})]
            ),
            validate_only=lambda admin, on: admin.alter_configs(
                [_resource(on, **{"retention.ms": "7"})], validate_only=True
            ),
            unknown_key=lambda admin, on: admin.alter_configs([_resource(on, **{"no.key": "7"})]),
            bad_value=lambda admin, on: admin.alter_configs(
                [_resource(on, **{"retention.ms": "x"})]
            ),
        ),
        "alter_consumer_group_offsets": called(
            defaults=lambda admin, on: admin.alter_consumer_group_offsets([_offsets(on, 2)]),
            timeout=lambda admin, on: admin.alter_consumer_group_offsets(
                [_offsets(on, 2)], request_timeout=20
            ),
            absent_topic=lambda admin, on: admin.alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(on.group, [TopicPartition(on.absent, 0, 2)])]
            ),
        ),
        "alter_user_scram_credentials": called(
            defaults=lambda admin, on: admin.alter_user_scram_credentials([_scram(on)]),
            deletion=lambda admin, on: admin.alter_user_scram_credentials(
                [UserScramCredentialDeletion(on.absent, ScramMechanism.SCRAM_SHA_512)]
            ),
        ),
        "cluster_id": called(
            defaults=lambda admin, _: len(admin.cluster_id()),
            timeout=lambda admin, _: len(admin.cluster_id(10)),
        ),
        "create_acls": called(defaults=lambda admin, on: admin.create_acls([_acl(on)])),
        "create_partitions": called(
            defaults=lambda admin, on: admin.create_partitions([NewPartitions(on.topic, 3)]),
            validate_only=lambda admin, on: admin.create_partitions(
                [NewPartitions(on.topic, 3)], validate_only=True
            ),
            assignment=lambda admin, on: admin.create_partitions(
                [NewPartitions(on.topic, 4, replica_assignment=[[1], [1]])]
            ),
            fewer=lambda admin, on: admin.create_partitions([NewPartitions(on.topic, 1)]),
            absent_topic=lambda admin, on: admin.create_partitions([NewPartitions(on.absent, 3)]),
            timeouts=lambda admin, on: admin.create_partitions(
                [NewPartitions(on.topic, 3)], operation_timeout=10, request_timeout=20
            ),
        ),
        "create_topics": called(
            defaults=lambda admin, on: admin.create_topics([NewTopic(on.named("t"))]),
            counts=lambda admin, on: admin.create_topics([NewTopic(on.named("t"), 3, 1)]),
            configs=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 1, 1, config={"cleanup.policy": "compact"})]
            ),
            assignment=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 2, replica_assignment=[[1], [1]])]
            ),
            validate_only=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 1, 1)], validate_only=True
            ),
            timeouts=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 1, 1)], operation_timeout=10, request_timeout=20
            ),
            existing=lambda admin, on: admin.create_topics([NewTopic(on.topic, 1, 1)]),
            bad_name=lambda admin, on: admin.create_topics([NewTopic("a/b", 1, 1)]),
            bad_config=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 1, 1, config={"no.key": "1"})]
            ),
            too_many_replicas=lambda admin, on: admin.create_topics(
                [NewTopic(on.named("t"), 1, 9)]
            ),
        ),
        "delete_acls": called(
            defaults=lambda admin, on: admin.delete_acls([_acls(on.absent)]),
        ),
        "delete_consumer_groups": called(
            defaults=lambda admin, on: admin.delete_consumer_groups([on.group]),
            absent=lambda admin, on: admin.delete_consumer_groups([on.new_group]),
            timeout=lambda admin, on: admin.delete_consumer_groups([on.group], request_timeout=20),
        ),
        "delete_records": called(
            defaults=lambda admin, on: admin.delete_records([TopicPartition(on.topic, 0, 2)]),
            to_the_end=lambda admin, on: admin.delete_records([TopicPartition(on.topic, 0, -1)]),
            beyond_the_end=lambda admin, on: admin.delete_records([TopicPartition(on.topic, 0, 9)]),
            absent_topic=lambda admin, on: admin.delete_records([TopicPartition(on.absent, 0, 2)]),
            timeouts=lambda admin, on: admin.delete_records(
                [TopicPartition(on.topic, 0, 2)], request_timeout=20, operation_timeout=10
            ),
        ),
        "delete_topics": called(
            defaults=lambda admin, on: admin.delete_topics([on.topic]),
            timeouts=lambda admin, on: admin.delete_topics(
                [on.topic], operation_timeout=10, request_timeout=20
            ),
            absent=lambda admin, on: admin.delete_topics([on.absent]),
        ),
        "describe_acls": called(defaults=lambda admin, on: admin.describe_acls(_acls())),
        "describe_cluster": called(
            defaults=lambda admin, _: admin.describe_cluster(),
            authorized_operations=lambda admin, _: admin.describe_cluster(
                include_authorized_operations=True, request_timeout=20
            ),
        ),
        "describe_configs": called(
            defaults=lambda admin, on: admin.describe_configs([_resource(on)]),
            absent_topic=lambda admin, on: admin.describe_configs(
                [ConfigResource(ResourceType.TOPIC, on.absent)]
            ),
            absent_broker=lambda admin, _: admin.describe_configs(
                [ConfigResource(ResourceType.BROKER, "77")], request_timeout=2
            ),
            group=lambda admin, on: admin.describe_configs([ConfigResource("group", on.group)]),
            timeout=lambda admin, on: admin.describe_configs([_resource(on)], request_timeout=20),
        ),
        "describe_consumer_groups": called(
            defaults=lambda admin, on: admin.describe_consumer_groups([on.group]),
            absent=lambda admin, on: admin.describe_consumer_groups([on.new_group]),
            authorized_operations=lambda admin, on: admin.describe_consumer_groups(
                [on.group], include_authorized_operations=True, request_timeout=20
            ),
        ),
        "describe_topics": called(
            defaults=lambda admin, on: admin.describe_topics(TopicCollection([on.topic])),
            authorized_operations=lambda admin, on: admin.describe_topics(
                TopicCollection([on.topic]), include_authorized_operations=True
            ),
            absent=lambda admin, on: admin.describe_topics(TopicCollection([on.absent])),
            none=lambda admin, _: admin.describe_topics(TopicCollection([])),
        ),
        "describe_user_scram_credentials": called(
            defaults=lambda admin, on: on.mine(admin.describe_user_scram_credentials().result(60)),
            absent_user=lambda admin, on: admin.describe_user_scram_credentials([on.absent]),
        ),
        "elect_leaders": called(
            defaults=_elected,
            of_one=lambda admin, on: admin.elect_leaders(ElectionType.PREFERRED, [_first(on)]),
            unclean=lambda admin, on: admin.elect_leaders(ElectionType.UNCLEAN, [_first(on)]),
            absent=lambda admin, on: admin.elect_leaders(
                ElectionType.PREFERRED, [TopicPartition(on.absent, 0)], request_timeout=20
            ),
        ),
        "incremental_alter_configs": called(
            defaults=lambda admin, on: admin.incremental_alter_configs([_set(on)]),
            append=lambda admin, on: admin.incremental_alter_configs(
                [_change(on, "cleanup.policy", "compact", AlterConfigOpType.APPEND)]
            ),
            subtract=lambda admin, on: admin.incremental_alter_configs(
                [_change(on, "cleanup.policy", "delete", AlterConfigOpType.SUBTRACT)]
            ),
            delete=lambda admin, on: admin.incremental_alter_configs(
                [_change(on, "retention.ms", None, AlterConfigOpType.DELETE)]
            ),
            no_list=lambda admin, on: admin.incremental_alter_configs(
                [_change(on, "retention.ms", "7", AlterConfigOpType.APPEND)]
            ),
            validate_only=lambda admin, on: admin.incremental_alter_configs(
                [_set(on)], validate_only=True, request_timeout=20
            ),
            by_a_broker=lambda admin, on: admin.incremental_alter_configs([_set(on)], broker=1),
        ),
        "list_consumer_group_offsets": called(
            defaults=lambda admin, on: admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(on.group)]
            ),
            of_partitions=lambda admin, on: admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(on.group, [_first(on), TopicPartition(on.topic, 1)])]
            ),
            stable=lambda admin, on: admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(on.group)], require_stable=True, request_timeout=20
            ),
            absent=lambda admin, on: admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(on.new_group)]
            ),
        ),
        "list_consumer_groups": called(
            defaults=_groups_of,
            states=lambda admin, on: (
                _groups_of(admin, on, states={ConsumerGroupState.EMPTY}),
                _groups_of(admin, on, states={ConsumerGroupState.STABLE}),
            ),
            types=lambda admin, on: (
                _groups_of(admin, on, types={ConsumerGroupType.CLASSIC}, request_timeout=20),
                _groups_of(admin, on, types={ConsumerGroupType.CONSUMER}),
            ),
        ).given("group"),
        "list_groups": called(
            defaults=lambda admin, on: [
                each for each in admin.list_groups() if on.is_mine(each.id)
            ],
            of_one=lambda admin, on: admin.list_groups(on.group, 10),
            absent=lambda admin, on: admin.list_groups(group=on.new_group, timeout=10),
        ).given("group"),
        "list_offsets": called(
            defaults=lambda admin, on: admin.list_offsets({_first(on): OffsetSpec.latest()}),
            earliest=lambda admin, on: admin.list_offsets({_first(on): OffsetSpec.earliest()}),
            greatest_time=lambda admin, on: admin.list_offsets(
                {_first(on): OffsetSpec.max_timestamp()}
            ),
            at_a_time=lambda admin, on: admin.list_offsets(
                {_first(on): OffsetSpec.for_timestamp(on.times_ms[1])}
            ),
            committed=lambda admin, on: admin.list_offsets(
                {_first(on): OffsetSpec.latest()},
                isolation_level=IsolationLevel.READ_COMMITTED,
                request_timeout=20,
            ),
            absent_topic=lambda admin, on: admin.list_offsets(
                {TopicPartition(on.absent, 0): OffsetSpec.latest()}
            ),
        ),
        "list_topics": called(
            defaults=_topics_of,
            of_one=lambda admin, on: _topics_of(admin, on, on.topic),
            created=_created,
            timeout=lambda admin, on: _topics_of(admin, on, timeout=10),
        ),
        "poll": called(timeout=lambda admin, _: admin.poll(0)),
        "set_sasl_credentials": called(
            defaults=lambda admin, _: admin.set_sasl_credentials("user", "password")
        ),
    },
)
