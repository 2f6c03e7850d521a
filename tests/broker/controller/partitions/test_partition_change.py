"""Changes of partitions; docstrings name the tests of Kafka's PartitionChangeBuilderTest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.controller.metadata.image import NO_LEADER, PartitionRegistration
from broker.controller.partitions.partition_change import Election, Rules, change_partition

NODES = (1, 2, 3, 4)
WHOLE = PartitionRegistration((2, 1, 3), (2, 1, 3), 1, 100, 200)


def _rules(*alive: int, min_isr: int = 1, election: Election = Election.ONLINE) -> Rules:
    return Rules(lambda node: node in alive, min_isr, election)


def _changed(old: PartitionRegistration, rules: Rules, **wanted: object) -> PartitionRegistration:
    return change_partition(old, replace(old, **wanted), rules)  # type: ignore[arg-type]  # its own fields


def test_no_change_is_the_same_registration() -> None:
    """testChangeRecordIsNoOp: no epoch increases."""
    assert _changed(WHOLE, _rules(1, 2, 3)) is WHOLE
    assert _changed(WHOLE, _rules(1, 2, 3), isr=(2, 1, 3)) is WHOLE


@pytest.mark.parametrize(
    ("isr", "election", "alive", "leader"),
    [
        ((2, 1, 3), Election.PREFERRED, (1, 2, 3), 2),
        ((2, 1, 3), Election.ONLINE, (1, 2, 3), 1),
        ((1, 3), Election.PREFERRED, (1, 2, 3), 1),
        ((2, 1, 3), Election.PREFERRED, (1, 3), 1),
        ((2, 1, 3), Election.PREFERRED, (3,), 3),
        ((2, 1, 3), Election.ONLINE, (2, 3), 2),
        ((1,), Election.ONLINE, (2, 3), NO_LEADER),
        ((1,), Election.PREFERRED, (2, 3), NO_LEADER),
        ((1,), Election.UNCLEAN, (2, 3), 2),
        ((1, 3), Election.UNCLEAN, (2, 3), 3),
        ((1,), Election.UNCLEAN, (), NO_LEADER),
    ],
)
def test_elections(
    isr: tuple[int, ...], election: Election, alive: tuple[int, ...], leader: int
) -> None:
    """testElectLeader: the leader stays unless the preferred one is elected.

    Then by replica order.
    """
    old = replace(WHOLE, isr=isr)

    assert _changed(old, _rules(*alive, election=election)).leader == leader


def test_an_unclean_leader_is_alone_in_the_isr() -> None:
    """testUncleanLeader: the other replicas may have other records."""
    old = replace(WHOLE, isr=(1,), elr=(3,))

    new = _changed(old, _rules(2, min_isr=2, election=Election.UNCLEAN))

    assert (new.leader, new.isr, new.elr) == (2, (2,), ())


def test_a_smaller_isr_starts_no_leader_epoch() -> None:
    """testIsrChangeDoesntBumpLeaderEpoch; the partition epoch increases with every change."""
    shrunk = _changed(WHOLE, _rules(1, 2, 3), isr=(2, 1))
    grown = _changed(shrunk, _rules(1, 2, 3), isr=(2, 1, 3))

    assert (shrunk.leader_epoch, shrunk.partition_epoch) == (100, 201)
    assert (grown.leader_epoch, grown.partition_epoch) == (100, 202)


def test_a_new_or_missing_leader_starts_a_leader_epoch() -> None:
    """Followers and clients must notice both."""
    moved = _changed(WHOLE, _rules(2, 3), isr=(2, 3))
    offline = _changed(moved, _rules(), isr=())

    assert (moved.leader, moved.leader_epoch, moved.partition_epoch) == (2, 101, 201)
    assert (offline.leader, offline.leader_epoch, offline.partition_epoch) == (NO_LEADER, 102, 202)


def test_removing_a_replica_starts_a_leader_epoch() -> None:
    """testTriggerLeaderEpochBumpIfNeeded..., with the same leader, too; adding one does not."""
    more = _changed(WHOLE, _rules(1, 2, 3), replicas=(2, 1, 3, 4), adding_replicas=(4,))
    fewer = _changed(WHOLE, _rules(1, 2, 3), removing_replicas=(3,))

    assert more.leader_epoch == 100
    assert (fewer.replicas, fewer.leader, fewer.leader_epoch) == ((2, 1), 1, 101)


def test_a_reassignment_ends_when_all_new_replicas_are_in_sync() -> None:
    """testAddingReplicasAreAddedOneByOne..: until then old and new ones are replicas."""
    moving = PartitionRegistration(
        (4, 3, 1, 2), (1, 2), 1, adding_replicas=(3, 4), removing_replicas=(1, 2)
    )

    one_there = _changed(moving, _rules(*NODES), isr=(1, 2, 3))
    all_there = _changed(one_there, _rules(*NODES), isr=(1, 2, 3, 4))

    assert (one_there.replicas, one_there.adding_replicas) == ((4, 3, 1, 2), (3, 4))
    assert (all_there.replicas, all_there.isr) == ((4, 3), (3, 4))
    assert (all_there.adding_replicas, all_there.removing_replicas) == ((), ())
    assert (all_there.leader, all_there.leader_epoch) == (4, 1)


def test_all_of_fewer_replicas_must_be_in_sync() -> None:
    """Removing replicas must not leave only out-of-sync ones."""
    moving = PartitionRegistration((1, 2, 3), (2, 3), 2, removing_replicas=(3,))

    early = _changed(moving, _rules(1, 2, 3), isr=(2,))
    in_time = _changed(moving, _rules(1, 2, 3), isr=(2, 1))

    assert early.replicas == (1, 2, 3)
    assert in_time.replicas == (1, 2)


def test_a_replica_that_leaves_a_too_small_isr_is_eligible() -> None:
    """testEligibleLeaderReplicas_IsrShrinkBelowMinISR and _IsrExpandAboveMinISR (KIP-966)."""
    rules = _rules(1, 2, 3, min_isr=2)

    small = _changed(WHOLE, rules, isr=(1,))
    grown = _changed(small, rules, isr=(1, 3))

    assert small.elr == (2, 3)
    assert grown.elr == ()


def test_a_crashed_replica_is_not_eligible() -> None:
    """testEligibleLeaderReplicas_RemoveUncleanShutdownReplicasFromElr."""
    old = PartitionRegistration((1, 2, 3), (1,), 1, elr=(2, 3))

    new = change_partition(old, old, _rules(1, 2, 3, min_isr=2), crashed={3})

    assert new.elr == (2,)


def test_an_eligible_replica_leads_when_no_replica_is_in_sync() -> None:
    """testEligibleLeaderReplicas_ElrCanBeElected: it has all records, so this is not unclean."""
    old = PartitionRegistration((1, 2, 3), (), NO_LEADER, elr=(1, 2), last_known_elr=(1,))

    new = _changed(old, _rules(2, 3, min_isr=2))

    assert (new.leader, new.isr, new.elr, new.last_known_elr) == (2, (2,), (1,), ())


def test_the_last_leader_leads_when_no_replica_is_eligible() -> None:
    """testElectionElrAndLastKnownElr...: Kafka calls it balanced recovery."""
    led = PartitionRegistration((1, 2, 3), (2,), 2)
    lost = _changed(led, _rules(1, 3), isr=())
    crashed = change_partition(lost, lost, _rules(1, 3), crashed={2})

    still_lost = _changed(crashed, _rules(1, 3))
    back = _changed(crashed, _rules(1, 2, 3))

    assert (lost.leader, lost.isr, lost.elr, lost.last_known_elr) == (NO_LEADER, (), (2,), (2,))
    assert (still_lost.leader, still_lost.elr) == (NO_LEADER, ())
    assert (back.leader, back.isr, back.last_known_elr) == (2, (2,), ())


def test_a_last_leader_that_is_not_a_replica_does_not_lead() -> None:
    """Kafka's controller fails here."""
    old = PartitionRegistration((1, 3), (), NO_LEADER, last_known_elr=(2,))

    assert _changed(old, _rules(2, 3)) is old


@given(
    start=st.permutations(NODES),
    steps=st.lists(
        st.tuples(
            st.sets(st.sampled_from(NODES)),
            st.sets(st.sampled_from(NODES)),
            st.sampled_from(Election),
        )
    ),
    min_isr=st.integers(1, 3),
)
def test_the_leader_is_always_alive_and_in_sync(
    start: list[int], steps: list[tuple[set[int], set[int], Election]], min_isr: int
) -> None:
    """Or there is none; ISRs are subsets of the replicas, and epochs never decrease."""
    now = PartitionRegistration(tuple(start), tuple(start), start[0])
    for alive, wanted, election in steps:
        isr = tuple(node for node in now.isr if node in alive)
        if wanted and now.leader in alive:
            isr = (now.leader, *(n for n in wanted if n in alive and n != now.leader))

        new = _changed(now, _rules(*alive, min_isr=min_isr, election=election), isr=isr)

        assert new.leader == NO_LEADER or new.leader in alive & set(new.isr)
        assert set(new.isr) <= set(new.replicas)
        assert not set(new.isr) & set(new.elr)
        assert new.partition_epoch == now.partition_epoch + (new != now)
        assert new.leader_epoch == now.leader_epoch + (new.leader != now.leader)
        now = new
