"""Invalid group requests are refused as in Kafka; a test in integration/ sends them to Kafka."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.broker.api.handlers.groups.bad_group_input import CASES, EXPECTED, line
from tests.client import running_node

pytestmark = pytest.mark.anyio


async def test_bad_input_is_refused_as_kafka_refuses_it(tmp_path: Path) -> None:
    """With its error codes and messages; the valid requests between them succeed."""
    async with running_node(tmp_path) as node:
        client = node.client()
        topic = CreatableTopic(
            name="t", num_partitions=1, replication_factor=1, assignments=[], configs=[]
        )
        await client.send(CreateTopicsRequest(topics=[topic], timeout_ms=1000))
        await client.send(FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]))

        lines = [line(case, await client.send(case.body, case.version)) for case in CASES]

    assert lines == EXPECTED.read_text().splitlines()
