"""One member (mirrors ``ConsumerGroupMemberTest``)."""

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
def test_what_it_says_of_itself_survives_its_record(metadata: ConsumerGroupMember) -> None:
    """Mirrors testUpdateWithConsumerGroupMemberMetadataValue."""
    assert member("m").with_metadata(metadata.metadata_value()) == metadata


def test_what_it_has_survives_its_record() -> None:
    """Mirrors testUpdateWithConsumerGroupCurrentMemberAssignmentValue: with the epochs."""
    before = member(
        "m",
        member_epoch=7,
        previous_member_epoch=6,
        state=MemberState.UNREVOKED_PARTITIONS,
        assigned={T: {2: 5, 0: 7}},
        pending_revocation={U: {1: 6}},
    )

    assert member("m").with_assignment(before.assignment_value()) == before


def test_what_older_brokers_wrote_has_no_epochs() -> None:
    """Before 4.3 (KIP-1251): as if the member had always had its partitions."""
    written = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=7,
        previous_member_epoch=6,
        state=0,
        assigned_partitions=[CurrentTopicPartitions(topic_id=T, partitions=[0, 1])],
        partitions_pending_revocation=[],
    )

    assert member().with_assignment(written).assigned == {T: {0: 0, 1: 0}}


def test_a_state_that_a_newer_broker_wrote_is_unknown() -> None:
    """It is not an error: the member is asked to begin anew."""
    written = replace(member().assignment_value(), state=4)

    assert member().with_assignment(written).state is MemberState.UNKNOWN


def test_a_member_is_reconciled_when_it_is_stable_in_the_epoch() -> None:
    """Either alone is not enough."""
    stable = member(member_epoch=3)
    waiting = member(member_epoch=3, state=MemberState.UNRELEASED_PARTITIONS)

    assert stable.is_reconciled_to(3)
    assert not stable.is_reconciled_to(4)
    assert not waiting.is_reconciled_to(3)


def test_it_owns_what_it_has_not_given_up_yet() -> None:
    """Nobody else may have it meanwhile."""
    each = member(assigned=owned(T, 0), pending_revocation=owned(T, 1))

    assert [each.owns(T, partition) for partition in range(3)] == [True, True, False]
    assert not each.owns(U, 0)


def test_what_it_owns_is_what_it_has_and_what_it_has_to_give_up() -> None:
    """Topic by topic, each partition with its epoch."""
    each = member(assigned={T: {0: 3}}, pending_revocation={T: {1: 2}, U: {0: 2}})

    assert each.owned == {T: {0: 3, 1: 2}, U: {0: 2}}


def test_an_id_for_a_member_that_brings_none() -> None:
    """As Kafka writes its own ids, so that none is taken for an option on a command line."""
    ids = {generate_member_id() for _ in range(500)}

    assert len(ids) == 500
    assert all(re.fullmatch(r"[0-9A-Za-z_][0-9A-Za-z_-]{21}", each) for each in ids)


def test_it_remembers_the_epoch_before() -> None:
    """Its last answer may have been lost; the same epoch again is no other."""
    moved = member(member_epoch=3, previous_member_epoch=2).at_epoch(5)

    assert (moved.member_epoch, moved.previous_member_epoch) == (5, 3)
    assert moved.at_epoch(5) is moved


def test_without_epochs_the_same_partitions_are_left() -> None:
    """Whoever replaces a static member may commit what its former self has read."""
    assert without_epochs({T: {0: 5, 1: 6}, U: {}}) == {T: {0: 0, 1: 0}, U: {}}
