"""Drafts."""

from __future__ import annotations

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.replay import replay
from broker.groups.records.classic import GroupMetadataKey
from broker.groups.records.consumer import ConsumerGroupPartitionMetadataKey
from broker.groups.records.serde import GROUP_RECORDS
from tests.broker.groups.consumer.books import T, U, group_of, member, owned


def test_a_dropped_draft_changes_nothing() -> None:
    """The group is not modified."""
    group = group_of(member("a", "t"))
    draft = GroupDraft(group)
    draft.write_metadata(member("b", "u"))
    draft.remove("a")
    draft.write_epoch(9, 1)

    assert (list(group.members), group.epoch) == (["a"], 2)
    assert (list(draft.group.members), draft.group.epoch) == (["b"], 9)


def test_a_draft_without_records_has_the_group_itself() -> None:
    """Most heartbeats change nothing, and copy nothing."""
    group = group_of(member("a", "t"))
    draft = GroupDraft(group)

    assert draft.group is group
    assert (draft.records, draft.group_id) == ([], "g")


def test_the_records_of_a_draft_add_up_to_its_group() -> None:
    """Another node that replays them gets an equal group."""
    draft = GroupDraft(ConsumerGroup("g"))
    draft.write_metadata(member("a", "t", instance_id="i"))
    draft.write_metadata(member("b", subscribed_topic_regex="u.*"))
    draft.write_regex("u.*", ResolvedRegex(frozenset({"u", "uu"}), 3, 4000))
    draft.write_regex("gone", ResolvedRegex(frozenset(), 3, 4000))
    draft.write_regex("gone", None)
    draft.write_epoch(3, -77)
    draft.write_target("a", {T: frozenset({1, 0}), U: frozenset({2})})
    draft.write_assignment_epoch(3, 5000)
    draft.write_assignment(member("a", "t", instance_id="i", assigned=owned(T, 0, 1)))
    draft.remove_partition_metadata()
    draft.remove("b")
    other = ConsumerGroup("g")
    for record in draft.records:
        read = GROUP_RECORDS.deserialize(GROUP_RECORDS.serialize(record))
        assert read is not None
        replay(other, read)

    assert vars(other) == vars(draft.group)
    assert list(other.members) == ["a"]


def test_a_member_is_removed_in_the_order_of_kafka() -> None:
    """Current assignment, target assignment, metadata."""
    draft = GroupDraft(group_of(member("a", "t")))
    draft.remove("a")

    assert [type(record.key).__name__ for record in draft.records] == [
        "ConsumerGroupCurrentMemberAssignmentKey",
        "ConsumerGroupTargetAssignmentMemberKey",
        "ConsumerGroupMemberMetadataKey",
    ]
    assert all(record.value is None for record in draft.records)


def test_the_tombstones_of_a_converted_group_come_first() -> None:
    """Before the records of the consumer group."""
    before = CoordinatorRecord(GroupMetadataKey(group="g"))
    draft = GroupDraft(ConsumerGroup("g"), before=[before])
    draft.remove_partition_metadata()

    assert draft.records == [
        before,
        CoordinatorRecord(ConsumerGroupPartitionMetadataKey(group_id="g")),
    ]
