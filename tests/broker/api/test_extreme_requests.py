"""Requests with a value at an end of its type are responded to, wait, or close the connection."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from protocol.errors import ErrorCode
from protocol.headers import decode_response
from protocol.messages import REQUESTS, RESPONSES
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.client import RunningNode, running_node
from tests.extremes.cases import CORRELATION_ID, Case, cases

pytestmark = pytest.mark.anyio

TOPIC = "extremes"
# Longer than the waits that can expire, and than the intervals of periodic work below an hour.
WAITS_END_S = 700


@pytest.mark.parametrize("cls", REQUESTS.values(), ids=lambda cls: cls.__name__)
async def test_extreme_values_are_handled(tmp_path: Path, cls: Any) -> None:
    """No value of any field in any version is an error inside the broker."""
    async with running_node(tmp_path, offsets_topic_num_partitions="1") as node:
        topic_id = node.controller.create_topic(TOPIC, partitions=1).topic_id
        await _make_a_coordinator(node)
        player = _Player(node, cls)
        for version in cls.__spec__.versions:
            for case in cases(cls, version, TOPIC, topic_id):
                await player.play(case)
        await trio.sleep(WAITS_END_S)


async def _make_a_coordinator(node: RunningNode) -> None:
    """Create the coordinator, without which all group requests fail at once."""
    ensure_internal_topic(node.controller, offsets_topic(node.node.config))
    found = await node.client().send(FindCoordinatorRequest(key="any"), 3)
    assert found.error_code == ErrorCode.NONE


class _Player:
    """Sends one case after the other, on a new connection after each case without a response."""

    def __init__(self, node: RunningNode, cls: Any) -> None:
        self._node = node
        self._response = RESPONSES[cls.__spec__.key]
        self._client = node.client()

    async def play(self, case: Case) -> None:
        client = self._client
        client.write(struct.pack(">i", len(case.frame)) + case.frame)
        await trio.testing.wait_all_tasks_blocked()
        if client.transport.incoming:
            received = await client.frame()
            correlation_id, _ = decode_response(self._response, case.version, received)
            assert correlation_id == CORRELATION_ID, case.name
        else:
            client.close()
            self._client = self._node.client()
