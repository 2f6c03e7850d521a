"""Committed and pending offsets (mirrors ``OffsetMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from broker.common.topic_partition import TopicPartition
from broker.groups.group_offsets import GroupOffsets, OffsetTable
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.steps.queue import finish

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
OTHER_TOPIC = TopicPartition("other", 0)
ONE, TWO = OffsetAndMetadata(1), OffsetAndMetadata(2)
PRODUCER, OTHER = 5, 6


def at(record_offset: int, offset: int = 1) -> OffsetAndMetadata:
    """An offset whose record has that offset in the log."""
    return OffsetAndMetadata(offset, record_offset=record_offset)


def with_pending(**groups: dict[TopicPartition, OffsetAndMetadata]) -> GroupOffsets:
    """Offsets of an open transaction of the producer."""
    offsets = GroupOffsets()
    for group_id, pending in groups.items():
        offsets.change(group_id, pending, PRODUCER)
    return offsets


def is_empty(offsets: GroupOffsets) -> bool:
    """Whether nothing is left of group g and of both producers."""
    left = offsets.committed("g"), offsets.pending("g")
    return not any(left) and not any(map(offsets.groups_of, (PRODUCER, OTHER)))


def test_written_offsets_are_not_replicated() -> None:
    """Both are kept by group and change independently."""
    table = OffsetTable()
    table.written.change("g", {T0: ONE, T1: TWO})
    table.replicated.change("g", {T0: ONE})

    assert table.written.committed("g") == {T0: ONE, T1: TWO}
    assert table.replicated.committed("g") == {T0: ONE}
    assert table.written.committed("h") == table.replicated.committed("h") == {}


def test_removing_a_group_removes_its_offsets() -> None:
    """The written and the replicated ones; doing it again has no effect."""
    table = OffsetTable()
    for each in (table.written, table.replicated):
        each.change("g", {T0: ONE})
        each.change("g", {T1: ONE}, PRODUCER)
    for _ in range(2):
        table.remove("g")

    assert is_empty(table.written)
    assert is_empty(table.replicated)


def test_an_offset_can_be_deleted() -> None:
    """None deletes it; deleting an absent offset has no effect."""
    offsets = GroupOffsets()
    offsets.change("g", {T0: ONE, T1: TWO})
    offsets.change("g", {T0: None})
    offsets.change("h", {T0: None})

    assert offsets.committed("g") == {T1: TWO}


def test_offsets_of_a_transaction_are_pending() -> None:
    """Mirrors testReplayTransactionalOffsetCommit: they are not committed."""
    offsets = with_pending(g={T0: ONE}, h={T1: ONE})

    assert (offsets.committed("g"), offsets.pending("g")) == ({}, {T0})
    assert sorted(offsets.groups_of(PRODUCER)) == ["g", "h"]


def test_a_commit_marker_commits_the_pending_offsets() -> None:
    """Mirrors testReplayTransactionEndMarkerWithCommit: in the given groups."""
    offsets = with_pending(g={T0: at(7, offset=2)}, h={T0: ONE})
    offsets.change("g", {T0: at(6, offset=1), T1: ONE})
    offsets.end_transaction(PRODUCER, ["g"], is_commit=True)

    assert offsets.committed("g") == {T0: TWO, T1: ONE}
    assert offsets.pending("g") == frozenset()
    assert (offsets.committed("h"), offsets.pending("h")) == ({}, {T0})
    assert list(offsets.groups_of(PRODUCER)) == ["h"]


def test_an_abort_marker_drops_the_pending_offsets() -> None:
    """Mirrors testReplayTransactionEndMarkerWithAbort: committed ones stay."""
    offsets = with_pending(g={T0: TWO})
    offsets.change("g", {T0: ONE})
    offsets.end_transaction(PRODUCER, ["g"], is_commit=False)

    assert offsets.committed("g") == {T0: ONE}
    offsets.remove("g")
    assert is_empty(offsets)


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_marker_without_pending_offsets_has_no_effect(is_commit: bool) -> None:
    """A marker may be written twice."""
    offsets = GroupOffsets()
    offsets.end_transaction(PRODUCER, ["g"], is_commit=is_commit)

    assert is_empty(offsets)


@pytest.mark.parametrize(("plain", "committed"), [(3, 2), (5, 2), (8, 1)])
def test_the_commit_with_the_largest_record_offset_is_in_effect(plain: int, committed: int) -> None:
    """The order of the records counts, not that of the markers."""
    offsets = with_pending(g={T0: at(6, offset=2)})
    offsets.change("g", {T0: at(plain, offset=1)})
    offsets.end_transaction(PRODUCER, ["g"], is_commit=True)

    assert offsets.committed("g")[T0].offset == committed


def test_the_last_of_two_transactions_is_in_effect() -> None:
    """Even if its marker is written first."""
    offsets = with_pending(g={T0: at(1, offset=1)})
    offsets.change("g", {T0: at(2, offset=2)}, OTHER)
    for producer_id in (OTHER, PRODUCER):
        offsets.end_transaction(producer_id, ["g"], is_commit=True)

    assert offsets.committed("g")[T0].offset == 2


def test_a_second_commit_of_a_transaction_replaces_the_first() -> None:
    """For the same partition; other partitions stay pending."""
    offsets = with_pending(g={T0: at(1, offset=1), T1: at(2, offset=1)})
    offsets.change("g", {T0: at(3, offset=3)}, PRODUCER)
    offsets.end_transaction(PRODUCER, ["g"], is_commit=True)

    committed = offsets.committed("g")
    assert {each: committed[each].offset for each in committed} == {T0: 3, T1: 1}


def test_a_deletion_deletes_the_pending_offsets_of_all_producers() -> None:
    """Mirrors testReplayTransactionalOffsetCommit: the markers have no effect on them then."""
    offsets = with_pending(g={T0: ONE, T1: ONE})
    offsets.change("g", {T0: ONE}, OTHER)
    offsets.change("g", {T0: None})

    assert offsets.pending("g") == {T1}
    assert list(offsets.groups_of(OTHER)) == []
    for producer_id in (PRODUCER, OTHER):
        offsets.end_transaction(producer_id, ["g"], is_commit=True)
    assert list(offsets.committed("g")) == [T1]


def test_a_deletion_in_a_transaction_deletes_at_once() -> None:
    """No coordinator writes such a record, but a log may contain it."""
    offsets = with_pending(g={T0: ONE})
    offsets.change("g", {T0: ONE})
    offsets.change("g", {T0: None}, OTHER)

    assert is_empty(offsets)


def test_loaded_offsets_are_added() -> None:
    """With the pending ones of each producer."""
    loaded = with_pending(g={T0: ONE})
    loaded.change("g", {T1: TWO})
    loaded.change("g", {T1: ONE}, OTHER)
    offsets = GroupOffsets()
    finish(offsets.adopt("g", loaded))
    finish(offsets.adopt("h", loaded))

    assert (offsets.committed("g"), offsets.pending("g")) == ({T1: TWO}, {T0, T1})
    assert [list(offsets.groups_of(each)) for each in (PRODUCER, OTHER)] == [["g"], ["g"]]
    loaded.end_transaction(PRODUCER, ["g"], is_commit=False)
    assert offsets.pending("g") == {T0, T1}


def test_the_groups_of_a_topic_have_an_offset_of_it() -> None:
    """Committed or pending, until the last one is deleted."""
    offsets = with_pending(h={T0: ONE})
    offsets.change("g", {T0: ONE, T1: ONE})
    offsets.change("g", {T0: TWO, OTHER_TOPIC: ONE})
    assert sorted(offsets.groups_with("t")) == ["g", "h"]

    offsets.change("g", {T0: None})
    offsets.change("g", {T0: None})
    assert sorted(offsets.groups_with("t")) == ["g", "h"]
    offsets.change("g", {T1: None})
    assert list(offsets.groups_with("t")) == ["h"]
    assert list(offsets.groups_with("other")) == ["g"]
    offsets.remove("g")
    assert list(offsets.groups_with("other")) == []


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_group_leaves_a_topic_with_its_last_pending_offset(is_commit: bool) -> None:
    """A marker commits or drops it; then the group or the committed offset is removed."""
    offsets = with_pending(g={T0: ONE})
    offsets.change("g", {T0: ONE}, OTHER)
    offsets.end_transaction(PRODUCER, ["g"], is_commit=is_commit)
    assert list(offsets.groups_with("t")) == ["g"]

    offsets.end_transaction(OTHER, ["g"], is_commit=False)
    assert list(offsets.groups_with("t")) == ["g"] * is_commit
    offsets.change("g", {T0: ONE}, OTHER)
    offsets.remove("g")

    assert list(offsets.groups_with("t")) == []
