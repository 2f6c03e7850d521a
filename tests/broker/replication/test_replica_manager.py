"""Appends and reads that may have to wait, on one node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.replication.replica_manager import ProduceResults
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from tests.batches import batch
from tests.broker.replication.world import at, consumer
from tests.client import RunningNode, running_node

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


def _append(running: RunningNode, acks: int = -1) -> list[ProduceResults]:
    answers: list[ProduceResults] = []
    records = memoryview(bytearray(batch(b"a")))
    running.node.replicas.append_records(1000, acks, {KEY: records}, 9, answers.append)
    return answers


def _waiting_fetch(running: RunningNode) -> list[Any]:
    """Park a fetch at offset 0; its results will be in the list."""
    woken: list[Any] = []
    params = consumer()
    params.max_wait_ms = 1000
    running.node.replicas.fetch_messages(params, [at(0)], woken.append)
    return woken


async def test_with_one_replica_a_produce_is_answered_before_consumers_are_woken(
    tmp_path: Path,
) -> None:
    """The checks that follow from an append wait in the action queue for the request's end."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t")
        replicas = running.node.replicas
        woken = _waiting_fetch(running)

        answers = _append(running)
        assert [each[KEY].error for each in answers] == [ErrorCode.NONE]
        assert woken == []

        replicas.actions.try_complete_actions()
        assert len(woken) == 1


async def test_a_failed_append_wakes_nobody(tmp_path: Path) -> None:
    """Nothing was appended, so nothing is to be looked at."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t")
        replicas = running.node.replicas
        answers: list[ProduceResults] = []
        broken = bytearray(batch(b"a"))
        broken[-1] ^= 1

        replicas.append_records(1000, -1, {KEY: memoryview(broken)}, 9, answers.append)

        assert answers[0][KEY].error is ErrorCode.CORRUPT_MESSAGE
        assert len(replicas.actions) == 0


async def test_a_deleted_topic_answers_those_who_wait(tmp_path: Path) -> None:
    """Removed from the map first, so that the check finds nothing there (Kafka's stopReplicas)."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t")
        replicas = running.node.replicas
        woken = _waiting_fetch(running)

        running.controller.delete_topic("t")

        assert [each.error for each in woken[0]] == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        assert replicas.partitions == {}


async def test_an_unknown_partition_is_its_own_error(tmp_path: Path) -> None:
    """Between the handler's look and the append a partition may be gone."""
    async with running_node(tmp_path) as running:
        answers = _append(running)

        assert answers[0][KEY].error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        enough = running.node.replicas.check_enough_replicas(KEY, 1)
        assert enough == (False, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
