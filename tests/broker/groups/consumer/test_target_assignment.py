"""Target assignments (mirrors ``TargetAssignmentBuilderTest``)."""

from __future__ import annotations

from broker.groups.consumer.assignors.spec import Assignment, GroupSpec
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.target_assignment import group_spec, write_target_assignment
from broker.groups.records.consumer import (
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMetadataKey,
)
from tests.broker.groups.consumer.books import T, U, group_of, member, topics_of

NOW_MS = 5000


def assigned(group: ConsumerGroup, result: Assignment) -> GroupDraft:
    """The draft after an assignor has returned *result*."""
    draft = GroupDraft(group)

    def assignor(_spec: GroupSpec) -> Assignment:
        return result

    write_target_assignment(draft, assignor, topics_of(t=4, u=2), NOW_MS)
    return draft


def members_written(draft: GroupDraft) -> list[str]:
    """The members whose target assignments are written."""
    keys = [record.key for record in draft.records]
    return [
        key.member_id for key in keys if isinstance(key, ConsumerGroupTargetAssignmentMemberKey)
    ]


def test_an_unchanged_target_gets_a_new_epoch() -> None:
    """Mirrors testEmpty: only epoch and time are written."""
    group = group_of(member("a"), epoch=20)
    group.target = {"a": {}}
    draft = assigned(group, {})

    (record,) = draft.records
    assert isinstance(record.key, ConsumerGroupTargetAssignmentMetadataKey)
    assert (record.value.assignment_epoch, record.value.assignment_timestamp) == (20, NOW_MS)
    assert (draft.group.assignment_epoch, draft.group.assignment_timestamp_ms) == (20, NOW_MS)


def test_the_epoch_is_written_last() -> None:
    """If the log ends before it, the group is assigned again."""
    draft = assigned(group_of(member("a", "t")), {"a": {T: frozenset({1, 0})}})

    *members, epoch = draft.records
    assert [record.value.topic_partitions[0].partitions for record in members] == [[0, 1]]
    assert isinstance(epoch.key, ConsumerGroupTargetAssignmentMetadataKey)


def test_only_changed_targets_are_written() -> None:
    """Mirrors testPartialAssignmentUpdate."""
    group = group_of(member("a", "t"), member("b", "t"))
    group.target = {"a": {T: frozenset({0, 1})}, "b": {T: frozenset({2, 3})}}
    draft = assigned(group, {"a": {T: frozenset({0, 1})}, "b": {T: frozenset({2})}})

    assert members_written(draft) == ["b"]
    assert draft.group.target["a"] == {T: frozenset({0, 1})}


def test_a_member_without_partitions_gets_an_empty_target() -> None:
    """Mirrors testUpdateMember; topics without partitions are not written."""
    group = group_of(member("a", "t"), member("b", "t"))
    group.target = {"a": {T: frozenset({0})}, "b": {T: frozenset({1})}}
    draft = assigned(group, {"a": {T: frozenset(), U: frozenset({0})}})

    assert draft.group.target == {"a": {U: frozenset({0})}, "b": {}}


def test_the_empty_target_of_a_new_member_is_written_once() -> None:
    """An empty target is a target."""
    first = assigned(group_of(member("a", "t")), {"a": {}})
    again = assigned(first.group, {"a": {}})

    assert members_written(first) == ["a"]
    assert members_written(again) == []


def test_the_input_of_an_assignor() -> None:
    """Members with instance id, topics and target; topics with partition counts."""
    group = group_of(
        member("a", "t", "missing", instance_id="i"),
        member("b", "t", subscribed_topic_regex="[tu]"),
    )
    group.target = {"a": {T: frozenset({0})}}
    group.regexes["[tu]"] = ResolvedRegex(frozenset({"t", "u"}), 1, 1)
    spec = group_spec(group, group.members, topics_of(t=4, u=2))

    assert spec.partition_counts == {T: 4, U: 2}
    assert not spec.is_homogeneous
    first, second = spec.members["a"], spec.members["b"]
    assert (first.instance_id, first.topics) == ("i", frozenset({T}))
    assert first.assigned == {T: frozenset({0})}
    assert (second.topics, second.assigned) == (frozenset({T, U}), {})


def test_members_are_in_the_order_of_kafkas_hash_tables() -> None:
    """By the hash codes of their ids, not in the order in which they have joined."""
    group = group_of(*(member(name, "t") for name in ("b", "a", "c")))
    spec = group_spec(group, group.members, topics_of(t=4))

    assert list(spec.members) == ["a", "b", "c"]
