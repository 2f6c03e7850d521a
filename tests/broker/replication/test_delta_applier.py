"""Applying metadata changes to a node's replicas (mirrors ReplicaManagerTest's testDelta...)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from broker.common.state_changes import StateChanges
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.controller.metadata.image import NO_LEADER, PartitionRegistration, TopicImage
from broker.replication.delta_applier import DeltaApplier
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.steps.queue import finish
from broker.storage.directories.log_manager import LogManager
from broker.wait_records.causes import CauseKind
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.broker.replication.world import FakeNode, hosted, records
from tests.broker.storage.logs import StillClock

ALL = (1, 2, 3)


class Recorded:
    """The recorded events in order: fetchers and checked operations."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add_fetcher_for_partition(self, partition: Partition, leader: int) -> None:
        self.lines.append(f"{partition.key} follows {leader}")

    def remove_fetcher_for_partition(self, key: TopicPartition) -> None:
        self.lines.append(f"{key} follows no leader")

    def leader_state(self, partition: Partition, leads: bool) -> None:
        self.lines.append(f"{partition.key} {'led' if leads else 'not led'} here")

    def take(self) -> list[str]:
        """The events since the last call."""
        lines, self.lines = self.lines, []
        return lines


class RecordedPurgatories(PartitionPurgatories):
    """Records the events instead of checking operations."""

    def __init__(self, recorded: Recorded) -> None:
        purgatory: DelayedOperationPurgatory[Any] = DelayedOperationPurgatory(
            "none", SystemTimer("none", now_ms=lambda: 0)
        )
        super().__init__(purgatory, purgatory, purgatory, purgatory, StateChanges())
        self.recorded = recorded

    def after_offsets_moved(
        self, key: TopicPartition, high_watermark: int, replica: int | None = None
    ) -> None:
        self.recorded.lines.append(f"{key} moved")

    def after_leaving(self, key: TopicPartition, kind: CauseKind) -> None:
        self.recorded.lines.append(f"{key} left: {kind}")


class World:
    """A node's `DeltaApplier`, its logs and the recorded events."""

    def __init__(self, folder: Path) -> None:
        self.node = FakeNode()
        self.recorded = Recorded()
        self.purgatories = RecordedPurgatories(self.recorded)
        self.partitions = hosted()
        self.logs = LogManager(folder, StillClock(), node_id=1, cluster_id="c")
        self.delta_applier = DeltaApplier(
            self.node,
            Config(),
            self.logs,
            self.partitions,
            self.purgatories,
            self.recorded,
            self.recorded.leader_state,
        )

    def apply(self, *leaders: int, epoch: int = 0, **configs: str) -> list[str]:
        """Apply a topic whose partitions have these leaders, in one epoch; returns the events."""
        registrations = [PartitionRegistration(ALL, ALL, n, epoch, epoch) for n in leaders]
        finish(self.delta_applier.apply_topic(_topic(*registrations, **configs)))
        return self.recorded.take()

    def partition(self, index: int = 0) -> Partition:
        """A partition of the node."""
        return self.partitions[TopicPartition("t", index)]


def _topic(*partitions: PartitionRegistration, **configs: str) -> TopicImage:
    named = {key.replace("_", "."): value for key, value in configs.items()}
    return TopicImage("t", UUID(int=7), named, partitions)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Node 1 of three, without partitions."""
    made = World(tmp_path)
    yield made
    made.logs.close()


def test_leaders_are_applied_before_followers(world: World) -> None:
    """Followers then find their leaders (Kafka's applyDelta)."""
    assert world.apply(2, 1) == [
        "t-1 follows no leader",
        "t-1 led here",
        "t-0 follows no leader",
        "t-0 left: leadership",
        "t-0 follows 2",
    ]
    assert [world.partition(index).is_leader for index in (0, 1)] == [False, True]


def test_only_replicas_of_this_node_are_created(world: World) -> None:
    """Other nodes have the other replicas."""
    others, own = PartitionRegistration((2, 3), (2, 3), 2), PartitionRegistration((1,), (1,), 1)
    finish(world.delta_applier.apply_topic(_topic(others, own)))

    assert list(world.partitions) == [TopicPartition("t", 1)]
    assert len(world.logs) == 1


def test_a_leader_becomes_a_follower(world: World) -> None:
    """Kafka's testDeltaFromLeaderToFollower: operations complete before the node fetches."""
    world.apply(1)

    assert world.apply(3, epoch=1) == [
        "t-0 not led here",
        "t-0 follows no leader",
        "t-0 left: leadership",
        "t-0 follows 3",
    ]
    assert not world.partition().is_leader


def test_a_follower_becomes_a_leader(world: World) -> None:
    """Kafka's testDeltaFromFollowerToLeader."""
    world.apply(2)

    assert world.apply(1, epoch=1) == ["t-0 follows no leader", "t-0 led here"]
    assert world.partition().is_leader


def test_a_high_watermark_moved_by_metadata_checks_operations(world: World) -> None:
    """Another ISR may advance the high watermark."""
    world.apply(1)
    log = world.partition().log
    log.append_as_leader(records(b"a"), 0)

    finish(world.delta_applier.apply_topic(_topic(PartitionRegistration(ALL, (1,), 1, 0, 1))))

    assert world.recorded.take() == ["t-0 follows no leader", "t-0 moved"]


def test_an_unchanged_leader_epoch_keeps_the_fetcher(world: World) -> None:
    """Kafka's testFetcherAreNotRestartedIfLeaderEpochIsNotBumpedWithKRaftPath."""
    world.apply(2)

    finish(world.delta_applier.apply_topic(_topic(PartitionRegistration(ALL, (2, 3), 2, 0, 1))))

    assert world.recorded.take() == []
    registration = world.partition().registration
    assert registration is not None
    assert registration.isr == (2, 3)


def test_a_partition_without_leader_is_not_fetched(world: World) -> None:
    """The partition waits for an election; its waiting operations complete."""
    world.apply(2)

    assert world.apply(NO_LEADER, epoch=1) == ["t-0 follows no leader", "t-0 left: leadership"]


def test_an_unavailable_leader_is_followed(world: World) -> None:
    """The change comes only once, so the fetcher waits for the node."""
    del world.node.brokers[2]

    assert world.apply(2)[-1] == "t-0 follows 2"


def test_a_reassigned_replica_is_deleted(world: World) -> None:
    """Kafka's testDeltaFollowerToNotReplica: its log and its waiting operations are removed."""
    world.apply(2)
    directory = world.partition().log.directory

    finish(world.delta_applier.apply_topic(_topic(PartitionRegistration((2, 3), (2, 3), 2, 1, 1))))

    assert world.recorded.take() == ["t-0 follows no leader", "t-0 left: leadership"]
    assert (dict(world.partitions), directory.exists()) == ({}, False)


def test_a_reassigned_leader_resigns(world: World) -> None:
    """Kafka's testDeltaLeaderToNotReplica: nothing moves in its former state."""
    world.apply(1)
    partition = world.partition()

    finish(world.delta_applier.apply_topic(_topic(PartitionRegistration((2, 3), (2, 3), 2, 1, 1))))

    assert world.recorded.take()[0] == "t-0 not led here"
    assert not partition.is_leader


def test_a_deleted_topic_is_removed(world: World) -> None:
    """Kafka's testDeltaLeaderRemovedTopic and testDeltaFollowerRemovedTopic."""
    world.apply(1, 2)

    finish(world.delta_applier.delete_topic(_topic(*[PartitionRegistration(ALL, ALL, 1)] * 2)))

    assert world.recorded.take() == [
        "t-0 not led here",
        "t-0 follows no leader",
        "t-0 left: deleted",
        "t-1 follows no leader",
        "t-1 left: deleted",
    ]
    assert len(world.logs) == 0


@pytest.mark.parametrize("reason", ["topic deleted", "replica moved away"])
def test_expiry_counts_of_a_deleted_partition_are_removed(world: World, reason: str) -> None:
    """The meters would otherwise keep the counts of every deleted partition (KAFKA-20204)."""
    world.apply(1)
    world.purgatories.produce.expirations.mark(world.partition().key)

    if reason == "topic deleted":
        finish(world.delta_applier.delete_topic(_topic(PartitionRegistration(ALL, ALL, 1))))
    else:
        finish(
            world.delta_applier.apply_topic(_topic(PartitionRegistration((2, 3), (2, 3), 2, 1, 1)))
        )

    assert world.purgatories.produce.expirations.by_tag() == {}


def test_changed_settings_apply_immediately(world: World) -> None:
    """The settings of the log, and min.insync.replicas."""
    world.apply(1)

    world.apply(1, min_insync_replicas="2", retention_ms="5000")

    leader_state = world.partition().leader_state
    assert leader_state is not None
    assert leader_state.effective_min_isr == 2
    assert world.partition().log.config.retention_ms == 5000


def test_a_lower_min_isr_does_not_move_the_high_watermark(world: World) -> None:
    """Kafka applies the settings after the metadata; the next append or fetch moves it."""
    alone = [PartitionRegistration(ALL, (1,), 1, 0, epoch) for epoch in (0, 1)]
    finish(world.delta_applier.apply_topic(_topic(alone[0], min_insync_replicas="2")))
    log = world.partition().log
    log.append_as_leader(records(b"a"), 0)

    finish(world.delta_applier.apply_topic(_topic(alone[1], min_insync_replicas="1")))

    assert log.high_watermark == 0
    leader_state = world.partition().leader_state
    assert leader_state is not None
    assert leader_state.maybe_increment_high_watermark()


def test_all_partitions_of_a_topic_have_one_log_config(world: World) -> None:
    """It is computed once for each change of the topic, which may have ten thousand partitions."""
    world.apply(1, 1, 1, retention_ms="5000")

    configs = [world.partition(index).log.config for index in range(3)]
    assert all(config is configs[0] for config in configs)


def test_a_log_that_cannot_be_opened_is_offline(world: World, tmp_path: Path) -> None:
    """Kafka's testDeltaToLeaderOrFollowerMarksPartitionOfflineIfLogCantBeCreated."""
    (tmp_path / "t-0").write_text("no folder")

    assert world.apply(1) == []
    assert world.partitions.offline == {TopicPartition("t", 0)}

    (tmp_path / "t-0").unlink()
    world.apply(1, epoch=1)
    assert world.partitions.offline == set()
    assert world.partition().is_leader


def test_partitions_of_a_failed_disk_are_offline(world: World) -> None:
    """They are neither led nor followed, and nothing is deleted."""
    world.apply(1, 2)
    keys = [TopicPartition("t", index) for index in (0, 1)]

    world.delta_applier.mark_offline(keys)

    assert world.recorded.take() == [
        "t-0 not led here",
        "t-0 follows no leader",
        "t-1 follows no leader",
    ]
    assert not world.partitions
    assert world.partitions.offline == set(keys)
    assert len(world.logs) == 2


def test_a_partition_that_cannot_be_opened_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each change of the topic tries to open it again."""
    (tmp_path / "t-0").mkdir()
    (tmp_path / "t-0" / "partition.metadata").write_text("damaged")
    world = World(tmp_path)

    world.apply(1)
    world.apply(1, epoch=1)

    path = tmp_path / "t-0" / "partition.metadata"
    assert caplog.messages == [f"t-0: {path} has no valid topic ID"]
    world.logs.close()
