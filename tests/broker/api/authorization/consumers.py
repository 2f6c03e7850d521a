"""Members of consumer groups, as their clients send heartbeats."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import trio.testing

from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tests.client import Client


def subscribed(
    group_id: str, *, names: list[str] | None = None, regex: str | None = None
) -> ConsumerGroupHeartbeatRequest:
    """The first heartbeat of a member that subscribes to topics."""
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id="m",
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=names,
        subscribed_topic_regex=regex,
        topic_partitions=[],
    )


async def heartbeat_until_assigned(
    client: Client, first: ConsumerGroupHeartbeatRequest
) -> set[UUID]:
    """The ids of the topics that the member has after its regular expression is resolved."""
    response = await client.send(first)
    while response.error_code == 0 and not (
        response.assignment and response.assignment.topic_partitions
    ):
        await trio.testing.wait_all_tasks_blocked()
        following = replace(
            first,
            member_epoch=response.member_epoch,
            subscribed_topic_names=None,
            subscribed_topic_regex=None,
            topic_partitions=None,
        )
        response = await client.send(following)
    assert response.error_code == 0
    return {each.topic_id for each in response.assignment.topic_partitions}
