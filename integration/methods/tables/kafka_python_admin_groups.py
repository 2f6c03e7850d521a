"""Methods of kafka-python's KafkaAdminClient about groups and transactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from kafka.admin import AbortTransactionSpec, MemberToRemove, OffsetSpec, OffsetTimestamp
from kafka.structs import OffsetAndMetadata

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import Method, called

# Member ids differ from run to run.
_OF_A_MEMBER = ("member_id", "client_id", "client_host", "consumer_id")


def _first(on: Fixtures) -> TopicPartition:
    return TopicPartition(on.topic, 0)


@contextmanager
def _member(on: Fixtures, **settings: Any) -> Iterator[str]:
    """Run a consumer in a group of its own; returns the group."""
    group = f"{on.new_group}.joined"
    base = {"bootstrap_servers": on.bootstrap, "group_id": group, "client_id": "member"}
    consumer = KafkaConsumer(on.topic, auto_offset_reset="earliest", **base | settings)
    try:
        assert consumer.poll(20_000)
        yield group
    finally:
        consumer.close()


def _described_with_a_member(admin: Any, on: Fixtures) -> Any:
    with _member(on) as group:
        return admin.describe_groups([group])


def _removed(admin: Any, on: Fixtures) -> Any:
    with _member(on, group_instance_id="me") as group:
        return admin.remove_group_members(group, [MemberToRemove(group_instance_id="me")])


def _groups(admin: Any, on: Fixtures, **options: Any) -> Any:
    return [each for each in admin.list_groups(**options) if on.is_mine(each["group_id"])]


def _transactions(admin: Any, on: Fixtures, **options: Any) -> Any:
    return {
        broker: [each for each in listed if on.is_mine(each["transactional_id"])]
        for broker, listed in admin.list_transactions(**options).items()
    }


def _altered(admin: Any, on: Fixtures, **options: Any) -> Any:
    offsets = {_first(on): OffsetAndMetadata(2, "of mine", -1)}
    return (
        admin.alter_group_offsets(on.group, offsets, **options),
        admin.list_group_offsets(on.group),
    )


def _reset(admin: Any, on: Fixtures, spec: Any, **options: Any) -> Any:
    return admin.reset_group_offsets(on.group, {_first(on): spec}, **options)


METHODS: Mapping[str, Method] = {
    "abort_transaction": called(
        defaults=lambda admin, on: admin.abort_transaction(
            AbortTransactionSpec(_first(on), 4711, 0)
        )
    ),
    "alter_group_offsets": called(
        defaults=_altered,
        coordinator=lambda admin, on: _altered(admin, on, group_coordinator_id=1),
        absent_topic=lambda admin, on: admin.alter_group_offsets(
            on.group, {TopicPartition(on.absent, 0): OffsetAndMetadata(2, "", -1)}
        ),
    ),
    "delete_group_offsets": called(
        defaults=lambda admin, on: admin.delete_group_offsets(on.group, [_first(on)]),
        coordinator=lambda admin, on: admin.delete_group_offsets(
            on.group, [TopicPartition(on.topic, 1)], group_coordinator_id=1
        ),
        absent=lambda admin, on: admin.delete_group_offsets(on.new_group, [_first(on)]),
    ),
    "delete_groups": called(
        defaults=lambda admin, on: admin.delete_groups([on.group]),
        coordinator=lambda admin, on: admin.delete_groups([on.group], group_coordinator_id=1),
        absent=lambda admin, on: admin.delete_groups([on.new_group]),
    ),
    "describe_groups": called(
        defaults=lambda admin, on: admin.describe_groups([on.group]),
        authorized_operations=lambda admin, on: admin.describe_groups(
            [on.group], group_coordinator_id=1, include_authorized_operations=True
        ),
        absent=lambda admin, on: admin.describe_groups([on.new_group]),
        member=_described_with_a_member,
    ).ignoring(*_OF_A_MEMBER),
    "describe_transactions": called(
        defaults=lambda admin, on: admin.describe_transactions([on.transaction])
    ),
    "find_hanging_transactions": called(
        defaults=lambda admin, _: admin.find_hanging_transactions(),
        options=lambda admin, _: admin.find_hanging_transactions(
            broker_ids=[1], max_transaction_timeout_ms=1000
        ),
    ),
    "list_group_offsets": called(
        defaults=lambda admin, on: admin.list_group_offsets(on.group),
        partitions=lambda admin, on: admin.list_group_offsets(
            {on.group: [_first(on), TopicPartition(on.topic, 1)]}
        ),
        groups=lambda admin, on: admin.list_group_offsets([on.group, on.new_group]),
    ),
    "list_groups": called(
        defaults=_groups,
        brokers=lambda admin, on: _groups(admin, on, broker_ids=[1]),
        states=lambda admin, on: (
            _groups(admin, on, states_filter=["Empty"]),
            _groups(admin, on, states_filter=["Stable"]),
        ),
        types=lambda admin, on: (
            _groups(admin, on, types_filter=["classic"]),
            _groups(admin, on, types_filter=["consumer"]),
        ),
    ).given("group"),
    "list_partition_offsets": called(
        defaults=lambda admin, on: admin.list_partition_offsets({_first(on): OffsetSpec.LATEST}),
        earliest=lambda admin, on: admin.list_partition_offsets(
            {_first(on): OffsetSpec.EARLIEST}, timeout_ms=60_000
        ),
        greatest_time=lambda admin, on: admin.list_partition_offsets(
            {_first(on): OffsetSpec.MAX_TIMESTAMP}
        ),
        local=lambda admin, on: admin.list_partition_offsets(
            {_first(on): OffsetSpec.EARLIEST_LOCAL}
        ),
        tiered=lambda admin, on: admin.list_partition_offsets(
            {_first(on): OffsetSpec.LATEST_TIERED}
        ),
        at_a_time=lambda admin, on: admin.list_partition_offsets({_first(on): on.times_ms[1]}),
        absent=lambda admin, on: admin.list_partition_offsets(
            {TopicPartition(on.absent, 0): OffsetSpec.LATEST}, timeout_ms=1000
        ),
    ),
    "list_transactions": called(
        defaults=_transactions,
        filters=lambda admin, on: _transactions(
            admin, on, broker_ids=[1], producer_id_filters=[4711], state_filters=["Ongoing"]
        ),
        duration=lambda admin, on: _transactions(admin, on, duration_filter_ms=1000),
        pattern=lambda admin, on: _transactions(admin, on, transactional_id_pattern="a.*"),
    ),
    "remove_group_members": called(
        defaults=_removed,
        unknown_member=lambda admin, on: admin.remove_group_members(
            on.group, [MemberToRemove(member_id="absent", reason="none")], group_coordinator_id=1
        ),
    ),
    "reset_group_offsets": called(
        defaults=lambda admin, on: _reset(admin, on, OffsetSpec.EARLIEST),
        latest=lambda admin, on: _reset(admin, on, OffsetSpec.LATEST),
        at_a_time=lambda admin, on: _reset(admin, on, OffsetTimestamp(on.times_ms[1])),
        offset=lambda admin, on: _reset(admin, on, 9, group_coordinator_id=1),
    ),
}
