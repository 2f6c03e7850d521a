"""Changes of one partition when nodes register and stop."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.controller.metadata.image import NO_LEADER, PartitionRegistration
from broker.controller.partitions.elections import (
    after_start,
    clear_elr,
    elect_leader,
    elect_preferred_leader,
    with_leader,
    without_crashed,
    without_fenced,
    without_leader,
)
from broker.controller.partitions.partition_change import Election, Rules
from protocol.errors import ErrorCode

WHOLE = PartitionRegistration((1, 2, 3), (1, 2, 3), 1, 5, 8)


def _rules(*alive: int, min_isr: int = 1) -> Rules:
    return Rules(lambda node: node in alive, min_isr)


def test_a_fenced_leader_is_replaced_even_if_the_rules_have_it_alive() -> None:
    """The rules may not have the change yet."""
    new = without_fenced(1, WHOLE, _rules(1, 2, 3))

    assert (new.leader, new.isr, new.leader_epoch) == (2, (2, 3), 6)


def test_a_partition_that_is_led_needs_no_election() -> None:
    """A node that returns leads only partitions without a leader."""
    led = PartitionRegistration((1, 2, 3), (2, 3), 2)

    assert with_leader(led, _rules(1, 2, 3)) is led


def test_a_crashed_replica_does_not_lead_before_an_eligible_one() -> None:
    """No other was in sync, but node 2 had all committed records when it left."""
    rules = _rules(min_isr=2)
    lost = without_fenced(
        1, without_fenced(2, PartitionRegistration((1, 2), (1, 2), 1), rules), rules
    )

    back = with_leader(without_crashed(1, lost, rules), _rules(1, min_isr=2))

    assert lost.elr == (1, 2)
    assert (back.leader, back.elr) == (NO_LEADER, (2,))


def test_after_a_restart_the_former_leader_leads_in_a_new_epoch() -> None:
    """Not the first replica, since nothing moved the leadership."""
    led = PartitionRegistration((1, 2, 3), (1, 2, 3), 2, 5, 8)

    new = after_start(without_leader(led), _rules(1, 2, 3))

    assert without_leader(led).leader == NO_LEADER
    assert (new.leader, new.isr) == (2, (1, 2, 3))
    assert (new.leader_epoch, new.partition_epoch) == (6, 9)


def test_after_a_restart_a_missing_node_leaves_the_isr() -> None:
    """As if fenced; it is in the ELR if the ISR is too small without it."""
    new = after_start(without_leader(WHOLE), _rules(3, min_isr=2))

    assert (new.leader, new.isr, new.elr) == (3, (3,), (1, 2))


def test_a_partition_without_leader_is_unchanged_by_a_restart() -> None:
    """Its last known leader is kept."""
    lost = PartitionRegistration((1, 2), (), NO_LEADER, elr=(2,), last_known_elr=(2,))

    assert without_leader(lost) is lost
    assert after_start(lost, _rules(1)) is lost


def test_the_preferred_replica_leads_if_it_is_in_sync() -> None:
    """Kafka's testPreferredElectionDoesNotTriggerUncleanElection."""
    away = PartitionRegistration((1, 2, 3), (2, 3), 2)
    back = PartitionRegistration((1, 2, 3), (2, 3, 1), 2)

    assert elect_preferred_leader(away, _rules(1, 2, 3)) is away
    assert elect_preferred_leader(back, _rules(1, 2, 3)).leader == 1


def test_another_min_isr_clears_the_elr() -> None:
    """Kafka's testReplayClearTopicElrs: the ELR depends on the previous minimum."""
    small = PartitionRegistration((1, 2), (1,), 1, 3, 5, elr=(2,))

    assert clear_elr(small) == PartitionRegistration((1, 2), (1,), 1, 3, 6)
    assert clear_elr(WHOLE) is WHOLE


@pytest.mark.parametrize(
    ("election", "partition", "error"),
    [
        (Election.PREFERRED, WHOLE, ErrorCode.ELECTION_NOT_NEEDED),
        (Election.UNCLEAN, WHOLE, ErrorCode.ELECTION_NOT_NEEDED),
        (
            Election.PREFERRED,
            PartitionRegistration((4, 2), (2,), 2),
            ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        ),
        (
            Election.UNCLEAN,
            PartitionRegistration((4, 5), (4,), NO_LEADER, last_known_elr=(4,)),
            ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        ),
    ],
)
def test_an_election_without_effect_is_refused(
    election: Election, partition: PartitionRegistration, error: ErrorCode
) -> None:
    """Codes and messages are Kafka's."""
    with pytest.raises(ApiError) as refusal:
        elect_leader(election, partition, _rules(1, 2, 3))

    assert refusal.value.code is error
    assert refusal.value.message


def test_a_requested_unclean_election_ignores_the_topic_setting() -> None:
    """It was requested explicitly."""
    lost = PartitionRegistration((1, 2), (), NO_LEADER, elr=(1,), last_known_elr=(1,))

    assert elect_leader(Election.UNCLEAN, lost, _rules(2)).isr == (2,)
