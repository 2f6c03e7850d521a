"""The topics in records of Metadata requests that did not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.wait_records.limits import UNKNOWN_TOPICS_MAX
from broker.wait_records.recorder import Recorder
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster

pytestmark = pytest.mark.anyio


def _metadata(*names: str) -> MetadataRequest:
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in names],
        allow_auto_topic_creation=False,
    )


async def test_a_record_has_the_unknown_topics(tmp_path: Path) -> None:
    """Without them it does not have the field."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("known")
        client = cluster.client(1)

        await client.send(_metadata("known", "orders", "bills"), 9)
        await client.send(_metadata("known"), 9)

        first, second = kept_of(cluster, "Metadata")
        assert first["unknown_topics"] == ["orders", "bills"]
        assert "unknown_topics" not in second


async def test_the_number_of_unknown_topics_is_limited(tmp_path: Path) -> None:
    """A request may name any number of topics."""
    names = [f"t{number}" for number in range(UNKNOWN_TOPICS_MAX + 1)]
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        await cluster.client(1).send(_metadata(*names), 9)

        [record] = kept_of(cluster, "Metadata")
        assert record["unknown_topics"] == names[:UNKNOWN_TOPICS_MAX]
