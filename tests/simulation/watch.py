"""Observes high watermark moves, fetches, ISR changes, decisions and logged exceptions.

A broker that continues after an exception logs it; a run ends with it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from broker.controller.cluster_state import ClusterState
from broker.controller.metadata.image import TopicImage
from broker.controller.partitions.alter_partition import AlterPartition
from broker.replication.fetch_data import FetchPartition
from broker.replication.follower_fetch import FollowerFetch
from broker.replication.idle_partitions import IdlePartitions
from broker.replication.leader_state import LeaderState
from broker.replication.replication import Replication
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from tests.simulation.caught_up import CaughtUpRule
from tests.simulation.decisions import check_decision
from tests.simulation.replaced import replaced
from tests.simulation.rules import Rules
from tests.simulation.violation import Violation


class _Logs(logging.Handler):
    """Adds the broker's log to the history."""

    def __init__(self, rules: Rules, log: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._rules = rules
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log(f"    {record.getMessage()}")
        if record.exc_info and self._rules.broken is None:
            error = record.exc_info[1]
            self._rules.broken = Violation(f"an exception was logged: {error!r}")
            self._rules.broken.__cause__ = error


@contextmanager
def watched(rules: Rules, caught_up: CaughtUpRule, log: Callable[[str], None]) -> Iterator[None]:
    """Report all events inside to the rules, and as text to *log*."""
    logs = _Logs(rules, log)
    replication = logging.getLogger("antechamber.replication")
    level = replication.level
    replication.setLevel(logging.INFO)
    logging.getLogger().addHandler(logs)
    try:
        with (
            _high_watermark_moves(rules, log),
            _decisions(rules),
            _fetches(caught_up),
            _idle_fetches(caught_up),
            _isr_changes(caught_up, rules),
        ):
            yield
    finally:
        logging.getLogger().removeHandler(logs)
        replication.setLevel(level)


def _high_watermark_moves(
    rules: Rules, log: Callable[[str], None]
) -> AbstractContextManager[object]:
    """Every move of a leader's high watermark."""
    increment = LeaderState.maybe_increment_high_watermark

    def maybe_increment_high_watermark(self: LeaderState) -> bool:
        moved = increment(self)
        if moved:
            node, epoch = self._node.node_id, self.registration.leader_epoch
            log(
                f"    {self._key}: high watermark {self._log.high_watermark} on node {node}, "
                f"epoch {epoch}, in sync {self.isr.maximal}"
            )
            rules.check_is_leader(node, self._key, self)
            rules.high_watermark_moved(node, self._key, epoch, self._log)
        return moved

    return replaced(LeaderState, LeaderState.maybe_increment_high_watermark)(
        maybe_increment_high_watermark
    )


def _decisions(rules: Rules) -> AbstractContextManager[object]:
    """Every change that the controller publishes."""
    put = ClusterState.put_topics

    def put_topics(
        self: ClusterState, topics: Iterable[TopicImage], encoded: str | None = None
    ) -> None:
        decided = list(topics)
        for topic in decided:
            check_decision(rules, self.image.topic(topic.name), topic)
        put(self, decided, encoded)

    return replaced(ClusterState, ClusterState.put_topics)(put_topics)


def _fetches(caught_up: CaughtUpRule) -> AbstractContextManager[object]:
    """Every follower fetch that a leader processes."""
    count = LeaderState.update_follower_fetch_state

    def update_follower_fetch_state(
        self: LeaderState,
        fetch: FollowerFetch,
        at: LogOffsetMetadata,
        log_start_offset: int,
        leader_end: int,
    ) -> None:
        if fetch.node_id in self.replicas:
            caught_up.follower_fetched(
                self._node.node_id,
                self._key,
                self.registration,
                (fetch.node_id, fetch.broker_epoch),
                at.message_offset,
                leader_end,
            )
        count(self, fetch, at, log_start_offset, leader_end)

    return replaced(LeaderState, LeaderState.update_follower_fetch_state)(
        update_follower_fetch_state
    )


def _idle_fetches(caught_up: CaughtUpRule) -> AbstractContextManager[object]:
    """Every follower fetch, for the idle partitions of its session."""
    begin = IdlePartitions.begin_fetch

    def begin_fetch(self: IdlePartitions, now_ms: float) -> Sequence[FetchPartition]:
        reactivated = begin(self, now_ms)
        params = self._params
        if params.from_follower:
            for requested in self._idle.values():
                assert requested.empty_read is not None
                partition = requested.empty_read.partition
                leader_state = partition.leader_state
                assert leader_state is not None, "a change of the leader makes it active"
                caught_up.follower_fetched(
                    leader_state._node.node_id,  # noqa: SLF001 - the node that leads
                    requested.key,
                    leader_state.registration,
                    (params.replica_id, params.replica_epoch),
                    requested.fetch_offset,
                    partition.log.log_end_offset,
                )
        return reactivated

    return replaced(IdlePartitions, IdlePartitions.begin_fetch)(begin_fetch)


def _isr_changes(caught_up: CaughtUpRule, rules: Rules) -> AbstractContextManager[object]:
    """Every ISR change that a leader requests, and its response."""
    original = Replication.alter_partition

    def alter_partition(self: Replication, change: AlterPartition, on_response: Any) -> None:
        partition = self.partitions.get(change.key)
        if partition is not None and partition.leader_state is not None:
            caught_up.isr_change_requested(change, partition.leader_state.isr.committed)

        def heard(result: Any) -> None:
            on_response(result)
            rules.record_isr_sizes()

        original(self, change, heard)

    return replaced(Replication, Replication.alter_partition)(alter_partition)
