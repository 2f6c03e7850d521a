"""Invariants of partitions under random events."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.database.store import ControllerStore
from broker.controller.feeds.feed import MetadataFeed
from broker.controller.metadata.image import NO_LEADER, Broker, PartitionRegistration
from broker.controller.partitions.alter_partition import AlterPartition
from broker.controller.partitions.partition_change import Election
from broker.steps.queue import finish
from tests.broker.controller.nodes import RecordingNode, make_controller

NODES = (1, 2, 3, 4)
nodes = st.sampled_from(NODES)
sets = st.lists(nodes, unique=True)
replicas = st.lists(nodes, min_size=1, unique=True)
topics = st.sampled_from(("a", "b"))


class ClusterAtRandom(RuleBasedStateMachine):
    """A controller of four nodes and two topics with random events."""

    def __init__(self) -> None:
        super().__init__()
        self.controller = make_controller(ControllerStore(None))
        self.feeds: dict[int, MetadataFeed] = {}
        self.held: set[int] = set()
        self.before: dict[str, PartitionRegistration] = {}

    @initialize(a=replicas, b=replicas, min_isr=st.sampled_from("12"))
    def begin(self, a: list[int], b: list[int], min_isr: str) -> None:
        with self.controller.starting():
            for node_id in NODES:
                self.start(node_id)
        self.controller.create_topic(
            "a", assignments=[tuple(a)], configs={"unclean.leader.election.enable": "true"}
        )
        self.controller.create_topic(
            "b", assignments=[tuple(b)], configs={"min.insync.replicas": min_isr}
        )

    def teardown(self) -> None:
        self.controller.close()

    @rule(node_id=nodes)
    def start_or_stop(self, node_id: int) -> None:
        if self.controller.image.alive(node_id):
            self.controller.fence(node_id)
            del self.feeds[node_id]
            self.held.discard(node_id)
        else:
            self.start(node_id)

    def start(self, node_id: int) -> None:
        feed = self.controller.register(Broker(node_id, "h", node_id), RecordingNode())
        self.feeds[node_id] = feed
        feed.release()

    @rule(topic=topics, isr=sets)
    def change_in_sync_set(self, topic: str, isr: list[int]) -> None:
        image = self.controller.topic(topic)
        assert image is not None
        now = image.partitions[0]
        leader = self.controller.image.brokers.get(now.leader)
        new_isr = (now.leader, *(node for node in isr if node != now.leader))
        change = AlterPartition(
            TopicPartition(topic, 0),
            image.topic_id,
            now.leader,
            leader.epoch if leader else 0,
            now.leader_epoch,
            now.partition_epoch,
            new_isr,
            (-1,) * len(new_isr),
        )
        with suppress(ApiError):
            self.controller.alter_partition(change)

    @rule(topic=topics, wanted=st.none() | replicas)
    def move(self, topic: str, wanted: list[int] | None) -> None:
        with suppress(ApiError):
            self.controller.reassign(TopicPartition(topic, 0), wanted)

    @rule(election=st.sampled_from((Election.PREFERRED, Election.UNCLEAN)))
    def elect(self, election: Election) -> None:
        finish(self.controller.elect_leaders(election))

    @rule()
    def elect_by_themselves(self) -> None:
        self.controller.rebalance_leaders()
        self.controller.elect_missing_leaders()

    @rule(topic=topics, node_id=nodes)
    def fail_disk(self, topic: str, node_id: int) -> None:
        if self.controller.image.alive(node_id):
            self.controller.replicas_failed(node_id, [TopicPartition(topic, 0)])

    @precondition(lambda self: self.feeds)
    @rule(data=st.data())
    def hold_or_release(self, data: st.DataObject) -> None:
        node_id = data.draw(st.sampled_from(sorted(self.feeds)))
        if node_id in self.held:
            self.feeds[node_id].release()
        else:
            self.feeds[node_id].hold()
        self.held ^= {node_id}

    @invariant()
    def leaders_are_alive_and_in_sync(self) -> None:
        for partition in self.partitions().values():
            if partition.leader != NO_LEADER:
                assert self.controller.image.alive(partition.leader)
                assert partition.leader in partition.isr

    @invariant()
    def sets_are_within_the_replicas(self) -> None:
        for partition in self.partitions().values():
            for members in (partition.isr, partition.adding_replicas):
                assert set(members) <= set(partition.replicas)
            assert not set(partition.isr) & set(partition.elr)
            assert partition.replicas

    @invariant()
    def epochs_only_grow(self) -> None:
        now = self.partitions()
        for name, old in self.before.items():
            new = now[name]
            assert new == old or new.partition_epoch > old.partition_epoch
            assert new.leader_epoch >= old.leader_epoch
            assert new.leader == old.leader or new.leader_epoch > old.leader_epoch
        self.before = now

    @invariant()
    def nodes_know_what_the_controller_knows(self) -> None:
        image = self.controller.image
        for node_id in self.feeds.keys() - self.held:
            known = self.feeds[node_id].image
            assert (known.topics, known.brokers) == (image.topics, image.brokers)

    def partitions(self) -> dict[str, PartitionRegistration]:
        return {topic.name: topic.partitions[0] for topic in self.controller.image}


def test_a_cluster_at_random() -> None:
    """Leaders, ISRs, epochs and the nodes' metadata are consistent after every step."""
    run_state_machine_as_test(
        ClusterAtRandom, settings=settings(max_examples=60, stateful_step_count=40)
    )
