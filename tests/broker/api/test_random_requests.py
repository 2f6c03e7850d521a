"""Requests that follow the schema but have random values do not harm the broker."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from protocol.messages import REQUESTS
from protocol.messages.api_versions import ApiVersionsRequest
from tests.batches import batch
from tests.client import Client, RunningNode, running_node
from tests.protocol.random_messages import random_message

pytestmark = pytest.mark.anyio

ROUNDS = 25
NAMES = ("t", "u", "g", "m", "", "consumer", "range")


@pytest.mark.parametrize("cls", REQUESTS.values(), ids=lambda cls: cls.__name__)
async def test_any_request_is_responded_to_parked_or_refused(tmp_path: Path, cls: Any) -> None:
    """Whatever the values, the broker responds, parks the request, or closes its connection."""
    rng = random.Random(cls.__name__)
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        for version in cls.__spec__.versions:
            for _ in range(ROUNDS):
                message = random_message(rng, cls, version)
                _make_likely(rng, message)
                await _send(node, message, version)

        healthy = await node.client().send(ApiVersionsRequest(), 0)
        assert healthy.error_code == 0


async def _send(node: RunningNode, message: Any, version: int) -> None:
    client: Client = node.client()
    client.start(message, version)
    await trio.testing.wait_all_tasks_blocked()
    client.close()
    await trio.testing.wait_all_tasks_blocked()


def _make_likely(rng: random.Random, message: Any) -> None:
    """Change some values so that they pass the first checks."""
    for name in message.__dataclass_fields__:
        value = getattr(message, name)
        if isinstance(value, list):
            for item in value:
                if hasattr(item, "__dataclass_fields__"):
                    _make_likely(rng, item)
        elif rng.random() < 0.5:
            continue
        elif isinstance(value, str):
            setattr(message, name, rng.choice(NAMES))
        elif isinstance(value, bytes):
            setattr(message, name, batch(b"x"))
        elif isinstance(value, int) and not isinstance(value, bool):
            likely = (0, 1, 2) if name == "port" else (-1, 0, 1, 2)  # a port is unsigned
            setattr(message, name, 6000 if name.endswith("_ms") else rng.choice(likely))
