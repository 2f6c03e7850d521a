"""Offset store."""

from __future__ import annotations

from broker.groups.classic_group import ClassicGroup
from broker.groups.offset_store import InMemoryOffsetStore, OffsetAndMetadata
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


def test_offsets_are_kept_by_group() -> None:
    """Later commits replace earlier ones, and groups know nothing of each other."""
    store, errors = InMemoryOffsetStore(), list[ErrorCode]()
    store.append_offsets("g", {T0: OffsetAndMetadata(1), T1: OffsetAndMetadata(2)}, errors.append)
    store.append_offsets("g", {T0: OffsetAndMetadata(3)}, errors.append)

    assert store.offsets("g") == {T0: OffsetAndMetadata(3), T1: OffsetAndMetadata(2)}
    assert store.offsets("h") == {}
    assert errors == [ErrorCode.NONE, ErrorCode.NONE]


def test_a_group_needs_no_storing() -> None:
    """It is in memory already."""
    errors = list[ErrorCode]()
    InMemoryOffsetStore().append_group(ClassicGroup("g", 0), {}, errors.append)

    assert errors == [ErrorCode.NONE]


def test_offsets_go_with_their_topic() -> None:
    """A topic that is made again under the same name has been read by nobody."""
    store = InMemoryOffsetStore()
    offset = OffsetAndMetadata(1)
    store.append_offsets("g", {T0: offset, T1: offset, U0: offset}, lambda error: None)
    store.remove_topics(["t", "v"])

    assert store.offsets("g") == {U0: offset}
