"""Quotas of users throttle the clients that have logged in as them."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.quotas.entity import CONSUMER_BYTE_RATE, PRODUCER_BYTE_RATE, USER
from tests.batches import batch
from tests.broker.api.handlers.security.token_client import client_of
from tests.client import running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio


async def test_only_the_clients_of_the_user_are_throttled(tmp_path: Path) -> None:
    """When they produce and when they fetch."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        rates = {PRODUCER_BYTE_RATE: 10.0, CONSUMER_BYTE_RATE: 10.0}
        node.controller.client_quotas.alter(((USER, "alice"),), rates)
        produce = produce_request("t", batch(b"x" * 200))

        throttled = {}
        for name in ("alice", "bob"):
            produced = await client_of(node, name).send(produce, PRODUCE_VERSION)
            fetch = fetch_request("t", 0, max_bytes=1000)
            fetched = await client_of(node, name).send(fetch, FETCH_VERSION)
            throttled[name] = produced.throttle_time_ms > 0, fetched.throttle_time_ms > 0

        assert throttled == {"alice": (True, True), "bob": (False, False)}
