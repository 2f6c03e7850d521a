"""How registrations follow from each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.controller.image import NO_LEADER, PartitionRegistration
from broker.controller.partition_change import Election, Rules, change, with_epochs
from broker.controller.reassignments import reassigned

NODES = (1, 2, 3, 4)


def _alive(*nodes: int, min_isr: int = 1, unclean: bool = False) -> Rules:
    return Rules(lambda node: node in nodes, min_isr, unclean)


def test_nothing_changed_is_the_same_registration() -> None:
    """Kafka's testBuilderDoesNotChange...: no epoch grows for nothing."""
    old = PartitionRegistration((1, 2), (1, 2), 1, 3, 7)

    assert change(old, _alive(1, 2)) is old


def test_a_leader_that_is_alive_and_in_sync_stays() -> None:
    """An election is no reason to change (Kafka's testElectLeader, ONLINE)."""
    old = PartitionRegistration((1, 2, 3), (1, 2, 3), 2)

    assert change(old, _alive(1, 2, 3)).leader == 2


def test_the_preferred_replica_leads_if_it_can() -> None:
    """PREFERRED looks at the first replica first, and settles for a leader that can stay."""
    old = PartitionRegistration((1, 2, 3), (2, 3), 2)
    whole = PartitionRegistration((1, 2, 3), (2, 3, 1), 2)

    assert change(whole, _alive(1, 2, 3), election=Election.PREFERRED).leader == 1
    assert change(old, _alive(1, 2, 3), election=Election.PREFERRED).leader == 2


def test_who_leaves_a_set_that_becomes_too_small_stays_eligible() -> None:
    """KIP-966: what is committed is on it too, until the set is large enough again."""
    rules = _alive(1, 2, 3, min_isr=2)
    old = PartitionRegistration((1, 2, 3), (1, 2), 1)

    small = change(old, rules, isr=(1,))
    grown = change(small, rules, isr=(1, 3))

    assert small.elr == (2,)
    assert grown.elr == ()


def test_an_eligible_replica_leads_when_nobody_in_sync_can() -> None:
    """Without loss, so no unclean election is needed."""
    old = PartitionRegistration((1, 2, 3), (), NO_LEADER, elr=(1, 2))

    new = change(old, _alive(2, 3, min_isr=2))

    assert (new.leader, new.isr, new.elr) == (2, (2,), (1,))


def test_taking_a_replica_away_is_a_new_leader_epoch() -> None:
    """Kafka's testTriggerLeaderEpochBumpForReplicaReassignment: the leader must take notice."""
    old = PartitionRegistration((1, 2, 3), (1, 2, 3), 1)

    moved = change(reassigned(old, (1, 2)), _alive(1, 2, 3))

    assert moved.replicas == (1, 2)
    assert with_epochs(old, moved).leader_epoch == old.leader_epoch + 1


@given(
    start=st.permutations(NODES),
    steps=st.lists(
        st.tuples(st.sets(st.sampled_from(NODES)), st.sets(st.sampled_from(NODES)), st.booleans())
    ),
    min_isr=st.integers(1, 3),
)
def test_whatever_happens_the_leader_is_alive_and_in_sync(
    start: tuple[int, ...], steps: list[tuple[set[int], set[int], bool]], min_isr: int
) -> None:
    """Or there is none; sets stay within the replicas, and epochs never go back."""
    now = PartitionRegistration(tuple(start), tuple(start), start[0])
    for alive, wanted, preferred in steps:
        isr = tuple(node for node in now.isr if node in alive)
        if wanted and now.leader in alive:
            isr = (now.leader, *(n for n in wanted if n in alive and n != now.leader))
        election = Election.PREFERRED if preferred else Election.ONLINE
        new = change(now, _alive(*alive, min_isr=min_isr), isr=isr, election=election)

        assert new.leader == NO_LEADER or new.leader in alive & set(new.isr)
        assert set(new.isr) <= set(new.replicas)
        assert not set(new.isr) & set(new.elr)
        assert new.partition_epoch == now.partition_epoch + (new != now)
        assert new.leader_epoch == now.leader_epoch + (new.leader != now.leader)
        now = new
