"""The number of items of a heartbeat."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.member import ConsumerGroupMember
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from broker.groups.consumer.workload import has_more_items
from broker.groups.metadata_image import CoordinatorMetadataImage
from tests.broker.groups.virtual_world import VirtualWorld


@pytest.fixture
def topics() -> CoordinatorMetadataImage:
    world = VirtualWorld()
    world.put_topic("t", 10)
    return CoordinatorMetadataImage(lambda: world.image)


def heartbeat(**fields: Any) -> ConsumerGroupHeartbeat:
    """A heartbeat with *fields*."""
    return ConsumerGroupHeartbeat(group_id="g", member_id="m", member_epoch=0, **fields)


def test_names_and_partitions_count(topics: CoordinatorMetadataImage) -> None:
    """One for the member, one for each name, and the partitions of topics that exist."""
    request = heartbeat(subscribed_topic_names=frozenset({"t", "absent"}))

    assert has_more_items(None, request, topics, 12)
    assert not has_more_items(None, request, topics, 13)


def test_members_and_regular_expressions_count(topics: CoordinatorMetadataImage) -> None:
    """Each with its topics; the partitions of a topic count once."""
    group = ConsumerGroup("g")
    names = frozenset({"t"})
    for member_id in ("a", "b"):
        group.put(ConsumerGroupMember(member_id=member_id, subscribed_topic_names=names))
    group.regexes["t.*"] = ResolvedRegex(names, 1, 0)

    assert has_more_items(group, heartbeat(), topics, 16)
    assert not has_more_items(group, heartbeat(), topics, 17)


def test_owned_partitions_count(topics: CoordinatorMetadataImage) -> None:
    """A request may contain any number of them."""
    request = heartbeat(owned={UUID(int=1): range(100)})

    assert has_more_items(None, request, topics, 100)
    assert not has_more_items(None, request, topics, 101)
