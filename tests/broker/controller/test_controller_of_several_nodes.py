"""The controller of three nodes: leaders, ISRs and reassignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import NO_LEADER, Broker, TopicImage
from broker.controller.partitions.partition_change import Election
from protocol.errors import ErrorCode
from tests.broker.controller.nodes import Nodes, RecordingNode, make_controller


def _refusal(call: object, *args: object, **kwargs: object) -> ErrorCode:
    assert callable(call)
    with pytest.raises(ApiError) as refusal:
        call(*args, **kwargs)
    return refusal.value.code


def test_the_next_in_sync_replica_replaces_a_fenced_leader() -> None:
    """Kafka's testFenceMultipleBrokers: epochs increase, the fenced node leaves the ISR."""
    nodes = Nodes()
    nodes.topic()

    nodes.controller.fence(1)

    assert nodes.partition.leader == 2
    assert nodes.partition.isr == (2, 3)
    assert (nodes.partition.leader_epoch, nodes.partition.partition_epoch) == (1, 1)


def test_a_fenced_follower_leaves_the_isr_in_the_same_leader_epoch() -> None:
    """A smaller ISR alone starts no epoch (KAFKA-15021)."""
    nodes = Nodes()
    nodes.topic()

    nodes.controller.fence(3)

    assert (nodes.partition.leader, nodes.partition.isr) == (1, (1, 2))
    assert (nodes.partition.leader_epoch, nodes.partition.partition_epoch) == (0, 1)


def test_a_follower_that_has_restarted_does_not_join() -> None:
    """KIP-903: its restart did not change the partition, since it was not in sync."""
    nodes = Nodes()
    topic = nodes.topic()
    nodes.controller.alter_partition(nodes.change(topic, 1, 2))
    late = nodes.change(topic, 1, 2, 3)
    before = nodes.partition

    nodes.controller.fence(3)
    nodes.start(3)
    with pytest.raises(ApiError) as refusal:
        nodes.controller.alter_partition(late)

    assert refusal.value.code is ErrorCode.INELIGIBLE_REPLICA
    assert nodes.partition == before


def test_without_the_last_in_sync_replica_there_is_no_leader() -> None:
    """The others lack what it committed alone; it leads again when it returns."""
    nodes = Nodes()
    topic = nodes.topic()
    nodes.controller.alter_partition(nodes.change(topic, 1))

    nodes.controller.fence(1)
    alone = nodes.partition
    nodes.start(1)

    assert alone.leader == NO_LEADER
    assert (alone.isr, alone.elr) == ((), (1,))
    assert (nodes.partition.leader, nodes.partition.isr, nodes.partition.elr) == (1, (1,), ())
    assert nodes.partition.leader_epoch > alone.leader_epoch > 0


def test_an_unclean_shutdown_removes_a_replica_from_the_elr() -> None:
    """Kafka's handleBrokerShutdown: node 2 left first, but node 1 may have lost later records."""
    nodes = Nodes()
    nodes.topic(min_insync_replicas="2")
    for node_id in (3, 2, 1):
        nodes.controller.fence(node_id)
    all_gone = nodes.partition

    nodes.start(2)
    second = nodes.partition
    nodes.start(1)

    assert (all_gone.leader, all_gone.elr, all_gone.last_known_elr) == (NO_LEADER, (1, 2), (1,))
    assert (second.leader, second.elr) == (NO_LEADER, (1,))
    assert (nodes.partition.leader, nodes.partition.isr) == (1, (1,))


def test_a_node_that_is_missing_at_the_start_is_not_in_sync(tmp_path: Path) -> None:
    """A data directory of three nodes is started with two."""
    before = Nodes(tmp_path / "db")
    before.topic(3, 2, 1)
    before.controller.close()
    controller = make_controller(ControllerStore(tmp_path / "db"))

    with controller.starting():
        for node_id in (1, 2):
            controller.register(Broker(node_id, "h", node_id), RecordingNode()).release()

    (partition,) = controller.image.topics["t"].partitions
    assert (partition.leader, partition.isr, partition.leader_epoch) == (2, (2, 1), 1)
    controller.close()


def test_a_single_node_after_a_restart_leads_where_it_is_in_sync(tmp_path: Path) -> None:
    """Without a common start each node leads such partitions when it registers."""
    before = Nodes(tmp_path / "db")
    before.topic(3, 2, 1)
    before.controller.close()
    controller = make_controller(ControllerStore(tmp_path / "db"))

    controller.register(Broker(2, "h", 2), RecordingNode()).release()

    assert controller.image.topics["t"].partitions[0].leader == 2
    controller.close()


def test_unclean_leaders_are_elected_periodically() -> None:
    """Kafka's testElectUncleanLeaders...: where the topic allows it."""
    nodes = Nodes()
    topic = nodes.topic()
    nodes.controller.alter_partition(nodes.change(topic, 1))
    nodes.controller.fence(1)

    nodes.controller.elect_missing_leaders()
    forbidden = nodes.partition.leader
    nodes.controller.alter_topic_configs("t", lambda _: {"unclean.leader.election.enable": "true"})
    allowed = nodes.partition.leader
    nodes.controller.elect_missing_leaders()

    assert (forbidden, allowed, nodes.partition.leader) == (NO_LEADER, NO_LEADER, 2)


@pytest.mark.parametrize("everywhere", [False, True])
def test_another_min_isr_clears_the_elr(everywhere: bool) -> None:
    """Of the topic, or of all topics; other settings keep it."""
    nodes = Nodes(min_insync_replicas=2)
    topic = nodes.topic()
    nodes.controller.alter_partition(nodes.change(topic, 1))
    eligible = nodes.partition.elr

    nodes.controller.alter_topic_configs("t", lambda _: {"retention.ms": "100000"})
    still = nodes.partition.elr
    if everywhere:
        nodes.controller.alter_broker_configs("", lambda _: {"min.insync.replicas": "1"})
    else:
        nodes.controller.alter_topic_configs("t", lambda _: {"min.insync.replicas": "1"})

    assert eligible == still == (2, 3)
    assert nodes.partition.elr == ()


def test_an_unclean_election_happens_only_where_it_is_configured() -> None:
    """Kafka's testElectUncleanLeaders: the new leader is alone in the ISR."""
    nodes = Nodes()
    topic = nodes.topic(unclean_leader_election_enable="true")
    nodes.controller.alter_partition(nodes.change(topic, 1))

    nodes.controller.fence(1)

    assert (nodes.partition.leader, nodes.partition.isr) == (2, (2,))


def test_the_isr_changes_at_its_leaders_request() -> None:
    """Kafka's testShrinkAndExpandIsr: the partition epoch increases with each change."""
    nodes = Nodes()
    topic = nodes.topic()

    shrunk = nodes.controller.alter_partition(nodes.change(topic, 1, 2))
    grown = nodes.controller.alter_partition(nodes.change(topic, 1, 2, 3))

    assert (shrunk.isr, shrunk.partition_epoch) == ((1, 2), 1)
    assert (grown.isr, grown.partition_epoch) == ((1, 2, 3), 2)
    assert nodes.feeds[3].image.topics["t"].partitions[0] == grown


def test_leaders_begin_a_new_epoch_after_a_restart(tmp_path: Path) -> None:
    """The former leader leads again, in a new leader epoch."""
    before = Nodes(tmp_path / "db")
    before.topic(2, 3, 1)
    before.controller.close()

    after = Nodes(tmp_path / "db")

    assert after.partition.leader == 2
    assert after.partition.leader_epoch == before.partition.leader_epoch + 1
    after.controller.close()


def test_a_node_that_comes_back_has_a_higher_epoch() -> None:
    """The broker epoch identifies its present start (KIP-903)."""
    nodes = Nodes()
    before = nodes.controller.image.brokers[3].epoch
    nodes.controller.fence(3)

    nodes.start(3)

    assert nodes.controller.image.brokers[3].epoch > before
    assert nodes.feeds[1].image.alive(3)


def test_a_preferred_election_restores_the_leader() -> None:
    """Kafka's testElectPreferredLeaders."""
    nodes = Nodes()
    topic = nodes.topic()
    nodes.controller.fence(1)
    nodes.start(1)
    key = TopicPartition("t", 0)
    elect = nodes.elect

    too_early = elect(Election.PREFERRED, [key])
    nodes.controller.alter_partition(nodes.change(topic, 2, 3, 1))
    in_time = elect(Election.PREFERRED, None)
    again = elect(Election.PREFERRED, [key])

    assert too_early == {key: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE}
    assert in_time == {key: ErrorCode.NONE}
    assert again == {key: ErrorCode.ELECTION_NOT_NEEDED}
    assert nodes.partition.leader == 1
    assert elect(Election.PREFERRED, None) == {}


def test_an_unclean_election_can_be_requested() -> None:
    """Only for a partition without a leader; otherwise it is not needed."""
    nodes = Nodes()
    topic = nodes.topic()
    key = TopicPartition("t", 0)
    needless = nodes.elect(Election.UNCLEAN, [key])
    nodes.controller.alter_partition(nodes.change(topic, 1))
    nodes.controller.fence(1)

    held = nodes.elect(Election.UNCLEAN, [key])

    assert needless == {key: ErrorCode.ELECTION_NOT_NEEDED}
    assert held == {key: ErrorCode.NONE}
    assert nodes.partition.leader == 2


def test_unknown_partitions_cannot_be_elected_or_reassigned() -> None:
    """Each gets its own error; the others are processed."""
    nodes = Nodes()
    nodes.topic()
    known, unknown = TopicPartition("t", 0), TopicPartition("t", 9)
    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    assert nodes.elect(Election.PREFERRED, [unknown, known]) == {
        unknown: error,
        known: ErrorCode.ELECTION_NOT_NEEDED,
    }
    assert _refusal(nodes.controller.reassign, unknown, (1,)) is error
    assert _refusal(nodes.controller.reassign, TopicPartition("nope", 0), (1,)) is error


def test_a_reassignment_completes_when_its_new_replicas_are_in_sync() -> None:
    """Kafka's testAlterPartitionReassignments: until then old and new nodes are replicas."""
    nodes = Nodes()
    topic = nodes.topic(1, 2)
    key = TopicPartition("t", 0)

    nodes.controller.reassign(key, (1, 3))
    under_way = nodes.controller.reassignments()[key]
    nodes.controller.alter_partition(nodes.change(topic, 1, 2, 3))

    assert under_way.replicas == (1, 3, 2)
    assert (under_way.adding_replicas, under_way.removing_replicas) == ((3,), (2,))
    assert (nodes.partition.replicas, nodes.partition.isr) == ((1, 3), (1, 3))
    assert nodes.controller.reassignments() == {}
    assert nodes.partition.leader_epoch == 1


def test_a_reassignment_that_removes_the_leader_is_an_error_for_it() -> None:
    """NEW_LEADER_ELECTED, after the change (Kafka's testCompleteReassignment...)."""
    nodes = Nodes()
    topic = nodes.topic(1, 2)
    nodes.controller.reassign(TopicPartition("t", 0), (2, 3))

    error = _refusal(nodes.controller.alter_partition, nodes.change(topic, 1, 2, 3))

    assert error is ErrorCode.NEW_LEADER_ELECTED
    assert (nodes.partition.leader, nodes.partition.isr) == (2, (2, 3))


def test_a_reassignment_can_be_cancelled() -> None:
    """Kafka's testCancelReassignPartitions; an error if none is in progress."""
    nodes = Nodes()
    nodes.topic(1, 2)
    key = TopicPartition("t", 0)
    nodes.controller.reassign(key, (1, 3))

    nodes.controller.reassign(key, None)

    assert (nodes.partition.replicas, nodes.partition.adding_replicas) == ((1, 2), ())
    error = ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    assert _refusal(nodes.controller.reassign, key, None) is error


def test_a_changed_factor_can_be_refused() -> None:
    """KIP-860: with ``may_change_factor`` false nothing is reassigned."""
    nodes = Nodes()
    nodes.topic(1, 2)
    key = TopicPartition("t", 0)

    with pytest.raises(ApiError) as refusal:
        nodes.controller.reassign(key, (1,), may_change_factor=False)

    assert refusal.value.code is ErrorCode.INVALID_REPLICATION_FACTOR
    assert nodes.controller.reassignments() == {}


def test_a_failed_disk_ends_leadership_until_the_node_restarts() -> None:
    """Other nodes lead; without another in-sync replica the partition has no leader."""
    nodes = Nodes()
    topic = nodes.topic()
    key = TopicPartition("t", 0)

    nodes.controller.replicas_failed(1, [key])
    first = nodes.partition
    nodes.controller.alter_partition(nodes.change(topic, 2))
    nodes.controller.replicas_failed(2, [key])
    second = nodes.partition
    nodes.controller.fence(2)
    nodes.start(2)

    assert (first.leader, first.isr) == (2, (2, 3))
    assert second.leader == NO_LEADER
    assert nodes.partition.leader == 2


def test_leadership_returns_to_the_preferred_replicas() -> None:
    """What auto.leader.rebalance.enable does periodically."""
    nodes = Nodes()
    topic = nodes.topic()
    nodes.controller.fence(1)
    nodes.start(1)
    nodes.controller.alter_partition(nodes.change(topic, 2, 3, 1))

    nodes.controller.rebalance_leaders()

    assert nodes.partition.leader == 1


def test_a_change_caused_by_a_node_follows_its_cause() -> None:
    """All nodes end with the controller's last state of a topic."""
    nodes = Nodes()
    topic = nodes.topic()

    class Leader(RecordingNode):
        def topic_changed(self, changed: TopicImage) -> None:
            if changed.partitions[0].isr == (1, 3):
                nodes.controller.alter_partition(nodes.change(topic, 1))

    nodes.controller.fence(2)
    nodes.feeds[2] = nodes.controller.register(Broker(2, "h", 2), Leader())
    nodes.feeds[2].release()

    for feed in nodes.feeds.values():
        assert feed.image.topics["t"] == nodes.controller.topic("t")
    assert nodes.partition.isr == (1,)
