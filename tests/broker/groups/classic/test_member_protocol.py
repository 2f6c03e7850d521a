"""The subscription in the metadata of a member: `broker.groups.classic.member_protocol`."""

from __future__ import annotations

from broker.groups.classic.member_protocol import MemberProtocol
from broker.steps.limits import ITEMS_PER_REQUEST_MAX
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription


def consumer(topics: int) -> MemberProtocol:
    """A protocol with a subscription to as many topics."""
    subscription = ConsumerProtocolSubscription(topics=["t"] * topics)
    return MemberProtocol("range", write_subscription(subscription, 0))


def test_a_subscription_is_parsed_once() -> None:
    """Each generation of the group uses the same object."""
    protocol = consumer(2)

    assert protocol.subscription == ConsumerProtocolSubscription(topics=["t", "t"])
    assert protocol.subscription is protocol.subscription


def test_a_long_subscription_is_parsed_in_slices() -> None:
    """Other tasks run meanwhile; the topics are known afterwards."""
    protocol = consumer(10_000)

    assert len(list(protocol.parse())) > 100
    subscription = protocol.subscription
    assert subscription is not None
    assert len(subscription.topics) == 10_000


def test_a_subscription_with_too_many_topics_is_unknown() -> None:
    """As one that is malformed: the member joins, and the topics of the group are unknown."""
    assert consumer(ITEMS_PER_REQUEST_MAX + 1).subscription is None
    assert MemberProtocol("range", b"\x00").subscription is None


def test_protocols_are_equal_by_name_and_metadata() -> None:
    """Whether or not their subscriptions have been parsed."""
    parsed = consumer(1)
    list(parsed.parse())

    assert parsed == consumer(1)
    assert parsed != consumer(2)
    assert parsed != MemberProtocol("sticky", parsed.metadata)
