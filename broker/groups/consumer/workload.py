"""Estimates the work of a heartbeat: the members, topics and partitions of its group are counted.

A new member or subscription may move partitions between all members, and a record is written for
each of them. That takes up to 25 microseconds an item.
"""

from __future__ import annotations

from collections.abc import Iterator

from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from broker.groups.metadata_image import CoordinatorMetadataImage

# A heartbeat of more items is prepared in a worker thread; this number takes about 8 ms.
ITEMS_AT_ONCE_MAX = 300


def has_more_items(
    group: ConsumerGroup | None,
    request: ConsumerGroupHeartbeat,
    topics: CoordinatorMetadataImage,
    limit: int,
) -> bool:
    """Whether a heartbeat has more than *limit* items; stops counting there."""
    left = limit
    for size in _sizes(group, request):
        left -= size
        if left < 0:
            return True
    names = set().union(*_subscriptions(group, request))
    return left < sum(map(topics.partition_count_of, names))


def _sizes(group: ConsumerGroup | None, request: ConsumerGroupHeartbeat) -> Iterator[int]:
    if request.owned is not None:
        yield from map(len, request.owned.values())
    for names in _subscriptions(group, request):
        yield 1 + len(names)


def _subscriptions(
    group: ConsumerGroup | None, request: ConsumerGroupHeartbeat
) -> Iterator[frozenset[str]]:
    """The topic names of the request, of each member and of each regular expression."""
    yield request.subscribed_topic_names or frozenset()
    if group is not None:
        yield from (member.subscribed_topic_names for member in group.members.values())
        yield from (regex.topics for regex in group.regexes.values())
