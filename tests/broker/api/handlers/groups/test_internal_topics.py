"""The creation of internal topics by heartbeats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.security.resource import Operation
from protocol.errors import ErrorCode
from protocol.messages.streams_group_heartbeat import (
    KeyValue,
    Subtopology,
    TopicInfo,
)
from tests.broker.api.authorization.fake_authorizer import (
    FakeAuthorizer,
    install,
    on_cluster,
    on_group,
    on_topic,
)
from tests.broker.api.handlers.groups.streams_members import beat, join, reading, topology
from tests.client import RunningNode, running_node

READ, DESCRIBE, CREATE = Operation.READ, Operation.DESCRIBE, Operation.CREATE
MISSING = "Internal topics are missing: "


class Topics:
    """A node whose clients use a topology with internal topics."""

    def __init__(self, node: RunningNode) -> None:
        ensure_internal_topic(node.controller, offsets_topic(node.node.config))
        node.controller.create_topic("t", partitions=2)
        self.node = node
        self.client = node.client()

    async def send(self, body: Any) -> tuple[int, list[str]]:
        """The epoch and the details of the statuses in a response."""
        response = await self.client.send(body)
        assert response.error_code == ErrorCode.NONE
        return response.member_epoch, [each.status_detail for each in response.status]

    def partitions(self, name: str) -> int | None:
        """The number of partitions of a topic."""
        topic = self.node.controller.image.topic(name)
        return None if topic is None else len(topic.partitions)


def log_topic(name: str, **configs: str) -> TopicInfo:
    """A changelog with configurations."""
    return TopicInfo(
        name=name,
        topic_configs=[KeyValue(key=key, value=value) for key, value in configs.items()],
    )


@pytest.mark.anyio
async def test_internal_topics_are_created(tmp_path: Path) -> None:
    """After the response, with their configurations; the next heartbeat finds them."""
    changelog = log_topic("log", **{"cleanup.policy": "compact"})
    body = join(
        topology=topology(
            Subtopology(
                subtopology_id="0",
                source_topics=["t"],
                repartition_sink_topics=["r", "unused"],
                state_changelog_topics=[changelog],
            ),
            Subtopology(
                subtopology_id="1",
                repartition_source_topics=[TopicInfo(name="r", partitions=3)],
            ),
        )
    )
    async with running_node(tmp_path) as node:
        topics = Topics(node)

        assert await topics.send(body) == (2, [f"{MISSING}r, log"])
        assert [topics.partitions(each) for each in ("log", "r", "unused")] == [2, 3, None]
        created = node.controller.image.topic("log")
        assert created is not None
        assert created.configs == {"cleanup.policy": "compact"}
        await trio.sleep(1)
        assert await topics.send(beat(2)) == (3, [])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("allowed", "suffix", "created"),
    [
        ([], "; Unauthorized to CREATE on topics c1, c2.", False),
        (on_topic(CREATE, "c1"), "; Unauthorized to CREATE on topics c2.", False),
        (on_topic(CREATE, "c1", "c2"), "", True),
        ([on_cluster(CREATE)], "", True),
    ],
)
async def test_the_client_must_be_authorized_to_create_all_topics(
    tmp_path: Path, allowed: Any, suffix: str, created: bool
) -> None:
    """Or those of the cluster; otherwise none is created."""
    async with running_node(tmp_path) as node:
        topics = Topics(node)
        may = [*on_group(READ, "g"), *on_topic(DESCRIBE, "t", "c1", "c2"), *allowed]
        authorizer = FakeAuthorizer(*may)
        install(node.node, authorizer)
        body = join(topology=topology(reading("t", logs=("c1", "c2"))))

        _, (status,) = await topics.send(body)

        assert status == f"{MISSING}c1, c2{suffix}"
        expected = 2 if created else None
        assert [topics.partitions(each) for each in ("c1", "c2")] == [expected] * 2


@pytest.mark.anyio
async def test_a_creation_that_fails_is_reported_and_repeated(tmp_path: Path) -> None:
    """By later heartbeats; it is tried again after two heartbeat intervals."""
    bad = [log_topic(f"c{number}", **{"cleanup.policy": "nonsense"}) for number in (1, 2)]
    body = join(
        topology=topology(
            Subtopology(
                subtopology_id="0",
                source_topics=["t"],
                state_changelog_topics=[*bad, TopicInfo(name="c3", replication_factor=3)],
            )
        )
    )
    reasons = ", ".join(
        f"c{number} (Invalid value nonsense for configuration cleanup.policy: String must be one "
        "of: compact, delete)"
        for number in (1, 2)
    )
    async with running_node(tmp_path) as node:
        topics = Topics(node)
        first = f"{MISSING}c3, c1, c2"
        assert await topics.send(body) == (2, [first])

        _, (status,) = await topics.send(beat(2))
        assert status.startswith(f"{first}; Creation failed: c3 (Unable to replicate the partition")
        assert status.endswith(f"), {reasons}.")
        await trio.sleep(9.9)
        _, (status,) = await topics.send(beat(2))
        assert "Creation failed" in status
        await trio.sleep(0.2)
        assert await topics.send(beat(2)) == (2, [first])
        _, (status,) = await topics.send(beat(2))
        assert "Creation failed" in status


@pytest.mark.anyio
async def test_at_most_three_failures_are_shown(tmp_path: Path) -> None:
    """The number of the others follows."""
    bad = [log_topic(f"c{number}", **{"cleanup.policy": "nonsense"}) for number in range(5)]
    body = join(
        topology=topology(
            Subtopology(subtopology_id="0", source_topics=["t"], state_changelog_topics=bad)
        )
    )
    async with running_node(tmp_path) as node:
        topics = Topics(node)
        await topics.send(body)

        _, (status,) = await topics.send(beat(2))

    assert status.startswith(f"{MISSING}c3, c4, c0 and 2 additional topics; Creation failed: c3 (")
    assert status.endswith(") and 2 more.")
    assert status.count("nonsense") == 3


@pytest.mark.anyio
async def test_other_statuses_have_no_addition(tmp_path: Path) -> None:
    """Only that of missing internal topics."""
    async with running_node(tmp_path, group_streams_initial_rebalance_delay_ms="3000") as node:
        topics = Topics(node)
        install(node.node, FakeAuthorizer(*on_group(READ, "g"), *on_topic(DESCRIBE, "t", "c")))

        _, statuses = await topics.send(join(topology=topology(reading("t", logs=("c",)))))

    assert statuses == [
        "Assignment delayed due to the configured initial rebalance delay.",
        f"{MISSING}c; Unauthorized to CREATE on topics c.",
    ]
