"""Seeing what else could not be seen, as it happens: moves, fetches, decisions, swallowed errors.

A broker that goes on after an error in a completion has logged it; for a run it is the end.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from broker.controller.alter_partition import AlterPartition
from broker.controller.image import TopicImage
from broker.controller.state import ClusterState
from broker.replication.leader_state import LeaderState
from broker.replication.replica import Replica
from broker.replication.replication import Replication
from broker.storage.offset_metadata import LogOffsetMetadata
from tests.simulation.attendance import Attendance
from tests.simulation.decisions import check_decision
from tests.simulation.rules import Rules
from tests.simulation.violation import Violation


class _Logs(logging.Handler):
    """What the broker logs becomes a part of the history."""

    def __init__(self, rules: Rules, tell: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._rules = rules
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(f"    {record.getMessage()}")
        if record.exc_info and self._rules.broken is None:
            error = record.exc_info[1]
            self._rules.broken = Violation(f"an error was swallowed: {error!r}")
            self._rules.broken.__cause__ = error


@contextmanager
def watched(rules: Rules, attendance: Attendance, tell: Callable[[str], None]) -> Iterator[None]:
    """Tell the rules, and in words *tell*, of all that happens inside."""
    logs = _Logs(rules, tell)
    replication = logging.getLogger("antechamber.replication")
    level = replication.level
    replication.setLevel(logging.INFO)
    logging.getLogger().addHandler(logs)
    try:
        with (
            _moves(rules, tell),
            _decisions(rules),
            _fetches(attendance),
            _questions(attendance, rules),
        ):
            yield
    finally:
        logging.getLogger().removeHandler(logs)
        replication.setLevel(level)


def _moves(rules: Rules, tell: Callable[[str], None]) -> Any:
    """Every single move of a leader's high watermark."""
    increment = LeaderState.maybe_increment_high_watermark

    def maybe_increment_high_watermark(self: LeaderState) -> bool:
        moved = increment(self)
        if moved:
            node, epoch = self._node.node_id, self.registration.leader_epoch
            tell(
                f"    {self._key}: high watermark {self._log.high_watermark} on node {node}, "
                f"epoch {epoch}, in sync {self.isr.maximal}"
            )
            rules.check_leads(node, self._key, self)
            rules.high_watermark_moved(node, self._key, epoch, self._log)
        return moved

    return patch.object(
        LeaderState, "maybe_increment_high_watermark", maybe_increment_high_watermark
    )


def _decisions(rules: Rules) -> Any:
    """Every change that the controller makes known."""
    put = ClusterState.put_topics

    def put_topics(self: ClusterState, topics: Iterable[TopicImage]) -> None:
        decided = list(topics)
        for topic in decided:
            check_decision(rules, self.image.topic(topic.name), topic)
        put(self, decided)

    return patch.object(ClusterState, "put_topics", put_topics)


def _fetches(attendance: Attendance) -> Any:
    """Every fetch of a follower that its leader counts."""
    count = LeaderState.update_follower_fetch_state

    def update_follower_fetch_state(
        self: LeaderState,
        replica: Replica,
        at: LogOffsetMetadata,
        log_start_offset: int,
        leader_end: int,
        broker_epoch: int,
    ) -> None:
        attendance.fetched(
            self._node.node_id,
            self._key,
            self.registration,
            (replica.node_id, broker_epoch),
            at.message_offset,
            leader_end,
        )
        count(self, replica, at, log_start_offset, leader_end, broker_epoch)

    return patch.object(LeaderState, "update_follower_fetch_state", update_follower_fetch_state)


def _questions(attendance: Attendance, rules: Rules) -> Any:
    """Every other in-sync set that a leader asks for, and what it is told: that wakes nobody."""
    ask = Replication.alter_partition

    def alter_partition(self: Replication, change: AlterPartition, answer: Any) -> None:
        partition = self.partitions.get(change.key)
        if partition is not None and partition.leader_state is not None:
            attendance.asked(change, partition.leader_state.isr.committed)

        def heard(result: Any) -> None:
            answer(result)
            rules.note_sizes()

        ask(self, change, heard)

    return patch.object(Replication, "alter_partition", alter_partition)
