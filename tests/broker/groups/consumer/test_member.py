"""Consumer group member (mirrors ``ConsumerGroupMemberTest``)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from broker.groups.consumer.member import (
    ConsumerGroupMember,
    MemberState,
    generate_member_id,
    without_epochs,
)
from broker.groups.records.consumer import (
    ConsumerGroupCurrentMemberAssignmentValue,
    CurrentTopicPartitions,
)
from tests.broker.groups.consumer.books import T, U, classic, member, owned


@pytest.mark.parametrize(
    "metadata",
    [
        member("m", "t", "u", instance_id="i", rack_id="r", client_id="c", client_host="/h"),
        member("m", subscribed_topic_regex="t.*", rebalance_timeout_ms=5, server_assignor="range"),
        member("m", "t", classic=classic("t")),
    ],
)
def test_metadata_is_restored_from_its_record(metadata: ConsumerGroupMember) -> None:
    """Mirrors testUpdateWithConsumerGroupMemberMetadataValue."""
    assert member("m").with_metadata(metadata.metadata_value()) == metadata


def test_the_current_assignment_is_restored_from_its_record() -> None:
    """Mirrors testUpdateWithConsumerGroupCurrentMemberAssignmentValue, with the epochs."""
    before = member(
        "m",
        member_epoch=7,
        previous_member_epoch=6,
        state=MemberState.UNREVOKED_PARTITIONS,
        assigned={T: {2: 5, 0: 7}},
        pending_revocation={U: {1: 6}},
    )

    assert member("m").with_assignment(before.assignment_value()) == before


def test_an_assignment_without_epochs_has_epoch_zero() -> None:
    """Brokers before 4.3 write none (KIP-1251)."""
    written = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=7,
        previous_member_epoch=6,
        state=0,
        assigned_partitions=[CurrentTopicPartitions(topic_id=T, partitions=[0, 1])],
        partitions_pending_revocation=[],
    )

    assert member().with_assignment(written).assigned == {T: {0: 0, 1: 0}}


def test_an_undefined_state_is_unknown() -> None:
    """The member has to join again."""
    written = replace(member().assignment_value(), state=4)

    assert member().with_assignment(written).state is MemberState.UNKNOWN


def test_a_member_is_reconciled_if_it_is_stable_in_the_assignment_epoch() -> None:
    """One of the two conditions is not enough."""
    stable = member(member_epoch=3)
    waiting = member(member_epoch=3, state=MemberState.UNRELEASED_PARTITIONS)

    assert stable.is_reconciled_to(3)
    assert not stable.is_reconciled_to(4)
    assert not waiting.is_reconciled_to(3)


def test_a_member_owns_partitions_that_it_has_to_revoke() -> None:
    """Until it has revoked them."""
    each = member(assigned=owned(T, 0), pending_revocation=owned(T, 1))

    assert [each.owns(T, partition) for partition in range(3)] == [True, True, False]
    assert not each.owns(U, 0)


def test_owned_partitions_are_assigned_or_pending_revocation() -> None:
    """By topic, each partition with its epoch."""
    each = member(assigned={T: {0: 3}}, pending_revocation={T: {1: 2}, U: {0: 2}})

    assert each.owned == {T: {0: 3, 1: 2}, U: {0: 2}}


def test_a_generated_member_id_is_base64_and_begins_with_no_dash() -> None:
    """In the format of Kafka's ``Uuid``."""
    ids = {generate_member_id() for _ in range(500)}

    assert len(ids) == 500
    assert all(re.fullmatch(r"[0-9A-Za-z_][0-9A-Za-z_-]{21}", each) for each in ids)


def test_a_member_has_its_previous_epoch() -> None:
    """Another call with the same epoch changes nothing."""
    moved = member(member_epoch=3, previous_member_epoch=2).at_epoch(5)

    assert (moved.member_epoch, moved.previous_member_epoch) == (5, 3)
    assert moved.at_epoch(5) is moved


def test_without_epochs_keeps_the_partitions() -> None:
    """The replacement of a static member may commit for them."""
    assert without_epochs({T: {0: 5, 1: 6}, U: {}}) == {T: {0: 0, 1: 0}, U: {}}
