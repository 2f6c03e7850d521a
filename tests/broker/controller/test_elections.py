"""What becomes of one partition when nodes come and go."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.controller.elections import (
    after_start,
    clear_elr,
    elect_leader,
    elect_preferred_leader,
    with_leader,
    without_crashed,
    without_fenced,
    without_leader,
)
from broker.controller.image import NO_LEADER, PartitionRegistration
from broker.controller.partition_change import Election, Rules
from protocol.errors import ErrorCode

WHOLE = PartitionRegistration((1, 2, 3), (1, 2, 3), 1, 5, 8)


def _rules(*alive: int, min_isr: int = 1) -> Rules:
    return Rules(lambda node: node in alive, min_isr)


def test_who_is_lost_is_replaced_even_while_it_looks_alive() -> None:
    """It may be the one thing that the rules do not know yet."""
    new = without_fenced(1, WHOLE, _rules(1, 2, 3))

    assert (new.leader, new.isr, new.leader_epoch) == (2, (2, 3), 6)


def test_a_partition_that_is_led_needs_no_election() -> None:
    """Whoever comes back, leads only what nobody leads."""
    led = PartitionRegistration((1, 2, 3), (2, 3), 2)

    assert with_leader(led, _rules(1, 2, 3)) is led


def test_who_crashed_does_not_lead_what_another_may_have_more_of() -> None:
    """Nobody else was in sync, but node 2 had all that was committed when it left."""
    rules = _rules(min_isr=2)
    lost = without_fenced(
        1, without_fenced(2, PartitionRegistration((1, 2), (1, 2), 1), rules), rules
    )

    back = with_leader(without_crashed(1, lost, rules), _rules(1, min_isr=2))

    assert lost.elr == (1, 2)
    assert (back.leader, back.elr) == (NO_LEADER, (2,))


def test_after_a_restart_the_former_leader_leads_in_a_new_epoch() -> None:
    """Not the first replica: nothing happened that would move leaderships."""
    led = PartitionRegistration((1, 2, 3), (1, 2, 3), 2, 5, 8)

    new = after_start(without_leader(led), _rules(1, 2, 3))

    assert without_leader(led).leader == NO_LEADER
    assert (new.leader, new.isr) == (2, (1, 2, 3))
    assert (new.leader_epoch, new.partition_epoch) == (6, 9)


def test_after_a_restart_who_is_not_there_is_out() -> None:
    """As if it had been fenced; it is eligible if the set is too small without it."""
    new = after_start(without_leader(WHOLE), _rules(3, min_isr=2))

    assert (new.leader, new.isr, new.elr) == (3, (3,), (1, 2))


def test_a_partition_that_nobody_led_stays_as_it_was_left() -> None:
    """Its last leader is remembered from before."""
    lost = PartitionRegistration((1, 2), (), NO_LEADER, elr=(2,), last_known_elr=(2,))

    assert without_leader(lost) is lost
    assert after_start(lost, _rules(1)) is lost


def test_leadership_goes_to_the_first_replica_if_it_can() -> None:
    """Kafka's testPreferredElectionDoesNotTriggerUncleanElection: not if it is out of sync."""
    away = PartitionRegistration((1, 2, 3), (2, 3), 2)
    back = PartitionRegistration((1, 2, 3), (2, 3, 1), 2)

    assert elect_preferred_leader(away, _rules(1, 2, 3)) is away
    assert elect_preferred_leader(back, _rules(1, 2, 3)).leader == 1


def test_another_minimum_forgets_who_was_eligible() -> None:
    """Kafka's testReplayClearTopicElrs: it went by the minimum of then."""
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
def test_an_election_that_cannot_help_is_refused(
    election: Election, partition: PartitionRegistration, error: ErrorCode
) -> None:
    """Each refusal is Kafka's, with its words."""
    with pytest.raises(ApiError) as refusal:
        elect_leader(election, partition, _rules(1, 2, 3))

    assert refusal.value.code is error
    assert refusal.value.message


def test_an_unclean_election_was_asked_for() -> None:
    """What the topic allows does not matter then."""
    lost = PartitionRegistration((1, 2), (), NO_LEADER, elr=(1,), last_known_elr=(1,))

    assert elect_leader(Election.UNCLEAN, lost, _rules(2)).isr == (2,)
