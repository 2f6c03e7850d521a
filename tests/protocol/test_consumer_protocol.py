"""Tests of subscriptions and assignments in the classic protocol (``ConsumerProtocolTest``)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import Malformed
from protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartition,
    parse_assignment,
    parse_subscription,
    version_of,
    write_assignment,
    write_subscription,
)

NAMES = st.text("abcdefgh.-_", min_size=1, max_size=8)
INDEXES = st.lists(st.integers(0, 2**31 - 1), max_size=4)
# As written by a Java client that subscribes to t and owns t-0.
SUBSCRIPTION = b"\x00\x01\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff\x00\x00\x00\x00"
ASSIGNMENT = b"\x00\x01\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01\x00\x00\x00\x00\xff\xff\xff\xff"


@st.composite
def subscriptions(draw: st.DrawFn, version: int) -> ConsumerProtocolSubscription:
    """A subscription with the fields of *version*."""
    subscription = ConsumerProtocolSubscription(
        topics=draw(st.lists(NAMES, max_size=4)),
        user_data=draw(st.none() | st.binary(max_size=8)),
    )
    if version >= 1:
        owned = st.builds(TopicPartition, topic=NAMES, partitions=INDEXES)
        subscription.owned_partitions = draw(st.lists(owned, max_size=3))
    if version >= 2:
        subscription.generation_id = draw(st.integers(-1, 2**31 - 1))
    if version >= 3:
        subscription.rack_id = draw(st.none() | NAMES)
    return subscription


@given(st.integers(0, 3), st.data())
def test_a_subscription_can_be_read_again(version: int, data: st.DataObject) -> None:
    """A subscription is decoded as it was encoded, in each version with all its fields."""
    subscription = data.draw(subscriptions(version))
    raw = write_subscription(subscription, version)

    assert version_of(raw) == version
    assert parse_subscription(raw) == subscription


@given(st.dictionaries(NAMES, INDEXES, max_size=4), st.integers(0, 3))
def test_an_assignment_can_be_read_again(partitions: dict[str, list[int]], version: int) -> None:
    """An assignment is decoded with topics and partitions in their order."""
    raw = write_assignment(partitions, version)
    read = parse_assignment(raw)

    assert version_of(raw) == version
    assert [(each.topic, each.partitions) for each in read.assigned_partitions] == list(
        partitions.items()
    )
    assert read.user_data is None


def test_bytes_of_java_clients() -> None:
    """Bytes of Java clients are decoded, and encoded to the same bytes."""
    assert parse_subscription(SUBSCRIPTION) == ConsumerProtocolSubscription(topics=["t"])
    assert write_subscription(ConsumerProtocolSubscription(topics=["t"]), 1) == SUBSCRIPTION
    assert write_assignment({"t": [0]}, 1) == ASSIGNMENT


def test_an_unknown_version_is_read_as_the_newest_known() -> None:
    """Mirrors deserializeFutureSubscriptionVersion: additional fields are ignored."""
    subscription = ConsumerProtocolSubscription(topics=["t"], generation_id=7, rack_id="r")
    raw = b"\x00\x63" + write_subscription(subscription, 3)[2:] + b"something new"

    assert version_of(raw) == 99
    assert parse_subscription(raw) == subscription


def test_an_assignment_for_an_unknown_version() -> None:
    """Mirrors deserializeFutureAssignment: it is encoded in the newest known version."""
    assert version_of(write_assignment({"t": [0]}, 99)) == 3
    future = b"\x00\x63" + ASSIGNMENT[2:] + b"something new"
    assert parse_assignment(future) == parse_assignment(ASSIGNMENT)


def test_no_bytes_assign_nothing() -> None:
    """Empty bytes decode to no partitions; the leader may omit a member."""
    assert parse_assignment(b"").assigned_partitions == []


@pytest.mark.parametrize("parse", [version_of, parse_subscription, parse_assignment])
@pytest.mark.parametrize("raw", [b"\x00", b"\xff\xff", b"\xff\xff\x00\x00\x00\x00"])
def test_bytes_without_a_version_are_malformed(
    parse: Callable[[bytes], object], raw: bytes
) -> None:
    """Too few bytes, or an invalid version, raise Malformed."""
    with pytest.raises(Malformed):
        parse(raw)


@pytest.mark.parametrize(
    ("parse", "whole"), [(parse_subscription, SUBSCRIPTION), (parse_assignment, ASSIGNMENT)]
)
def test_bytes_that_end_too_soon_are_malformed(
    parse: Callable[[bytes], object], whole: bytes
) -> None:
    """Bytes that are truncated anywhere raise Malformed."""
    for length in range(1, len(whole)):
        with pytest.raises(Malformed):
            parse(whole[:length])


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_malformed(raw: bytes) -> None:
    """Decoding any bytes raises nothing but Malformed."""
    for parse, kind in (
        (parse_subscription, ConsumerProtocolSubscription),
        (parse_assignment, ConsumerProtocolAssignment),
    ):
        read = None
        with contextlib.suppress(Malformed):
            read = parse(raw)
        assert read is None or isinstance(read, kind)
