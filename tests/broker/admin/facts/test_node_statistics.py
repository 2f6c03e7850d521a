"""The statistics of a node."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.admin.facts.node_statistics import node_statistics
from tests.client import running_node
from tests.requests import FETCH_VERSION, fetch_request

pytestmark = pytest.mark.anyio


async def test_statistics_contain_each_purgatory(tmp_path: Path) -> None:
    """Each purgatory has its gauges."""
    async with running_node(tmp_path) as running:
        statistics = node_statistics(running.node)

        purgatories = statistics["purgatories"]
        assert isinstance(purgatories, list)
        assert [each["name"] for each in purgatories] == [
            "Produce",
            "Fetch",
            "DeleteRecords",
            "ShareFetch",
            "Rebalance",
            "Heartbeat",
        ]
        assert all(each["num_delayed"] == 0 for each in purgatories)


async def test_statistics_name_every_timer(tmp_path: Path) -> None:
    """Each with its pending tasks, and the time until it moves or runs the first of them."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t")
        fetch = fetch_request("t", 0, min_bytes=1, max_wait_ms=5000)
        running.client().start(fetch, FETCH_VERSION)
        await trio.sleep(1)

        timers = node_statistics(running.node)["timers"]

        assert isinstance(timers, list)
        by_name = {each.pop("name"): each for each in timers}
        assert list(by_name) == [
            "node",
            "share-group-lock-timeout",
            "Produce",
            "Fetch",
            "DeleteRecords",
            "ShareFetch",
            "Rebalance",
            "Heartbeat",
        ]
        assert by_name["Produce"] == {"pending": 0, "next_step_ms": None}
        assert by_name["Fetch"]["pending"] == 1
        assert 3600 <= by_name["Fetch"]["next_step_ms"] <= 4000  # buckets of 400 ms
        assert by_name["node"]["pending"] > 0
