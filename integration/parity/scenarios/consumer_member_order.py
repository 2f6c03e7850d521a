"""Consumer groups: the order of members in Java's hash tables decides who gets partitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from integration.parity.group_requests import consumer_heartbeat
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest

# "a" and "q" share a bucket of a HashMap of 16, and so do "b" and "r".
_SETS = (("a", "q"), ("b", "r"), ("a", "q", "b"), ("a", "b", "q", "r"))


@scenario()
def members_in_one_bucket_with_the_uniform_assignor(kafka: Kafka) -> Observations:
    """Who gets which partitions depends on the order in which members of one bucket join."""
    yield from _assigned(kafka, "uniform", kafka.topic(7))


@scenario()
def members_in_one_bucket_with_the_range_assignor(kafka: Kafka) -> Observations:
    """The same with the range assignor, also with two topics."""
    yield from _assigned(kafka, "range", kafka.topic(7), kafka.topic(2))


@scenario()
def members_with_different_topics_in_one_bucket(kafka: Kafka) -> Observations:
    """The uniform assignor with members that do not have the same subscriptions."""
    topics = [kafka.topic(3), kafka.topic(5)]
    for order in permutations(("a", "q", "b")):
        subscriptions = {order[0]: topics, order[1]: topics[:1], order[2]: topics[1:]}
        group = kafka.new_name("group")
        for member in order:
            _join(kafka, group, member, subscriptions[member], "uniform")
        yield order, _targets(kafka, group)


def _assigned(kafka: Kafka, assignor: str, *topics: str) -> Observations:
    for members in _SETS:
        for order in list(permutations(members))[:6]:
            group = kafka.new_name("group")
            for member in order:
                _join(kafka, group, member, topics, assignor)
            yield order, _targets(kafka, group)


def _join(kafka: Kafka, group: str, member: str, topics: Sequence[str], assignor: str) -> None:
    request = consumer_heartbeat(group, member, 0, topics=topics, owned={}, assignor=assignor)
    response = kafka.request(request)
    assert response.error_code == 0, response


def _targets(kafka: Kafka, group: str) -> list[str]:
    """The target assignment of each member."""
    (found,) = kafka.request(ConsumerGroupDescribeRequest(group_ids=[group])).groups
    targets = []
    for each in sorted(found.members, key=lambda each: str(each.member_id)):
        topics = sorted(
            (one.topic_name, sorted(one.partitions))
            for one in each.target_assignment.topic_partitions
        )
        targets.append(f"{each.member_id} {topics}")
    return targets
