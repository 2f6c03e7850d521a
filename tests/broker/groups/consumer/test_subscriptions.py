"""Subscriptions (regex and metadata tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.regex_resolution import Resolved, matching
from broker.groups.consumer.subscriptions import Subscriptions, regex_error
from broker.groups.metadata_image import CoordinatorMetadataImage
from protocol.errors import ErrorCode
from tests.broker.groups.consumer.books import T, group_of, image_of, member
from tests.broker.groups.virtual_world import EPOCH_MS, ManualClock

A = member("a", subscribed_topic_regex="t.*")


class World:
    """Topics t and u, and the subscriptions to them."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.image: MetadataImage = image_of(t=2, u=1)
        self.topics = CoordinatorMetadataImage(lambda: self.image)
        self.subscriptions = Subscriptions(self.clock, self.topics, refresh_interval_ms=20_000)

    def grow(self) -> None:
        """Add a third partition to topic t."""
        registration = PartitionRegistration((1,), (1,), 1)
        self.image.put(TopicImage("t", T, {}, (registration,) * 3))
        self.topics.version += 1

    def updated(self, group: ConsumerGroup, *, bump: bool = False) -> ConsumerGroup:
        draft = GroupDraft(group)
        self.subscriptions.update_epoch(draft, bump=bump)
        if draft.is_up_to_date:
            self.subscriptions.mark_up_to_date(draft.group)
        return draft.group

    def resolved(self, group: ConsumerGroup) -> ConsumerGroup:
        draft = GroupDraft(group)
        regexes = group.subscribed_regexes()
        topics = {each: matching(each, self.topics.names()) for each in regexes}
        self.subscriptions.resolve(draft, Resolved(topics, self.topics.version))
        return draft.group


@pytest.fixture
def world() -> World:
    return World()


# --------------------------------------------------------------------------------------- epoch


def test_a_changed_subscription_increases_the_epoch(world: World) -> None:
    """Whether the topics have changed or not."""
    group = world.updated(group_of(member("a", "t")))

    assert world.updated(group, bump=True).epoch == group.epoch + 1
    assert world.updated(group) is group


def test_changed_topics_increase_the_epoch(world: World) -> None:
    """Mirrors testSubscriptionMetadataRefreshedAfterGroupIsLoaded."""
    group = world.updated(group_of(member("a", "t")))
    world.grow()
    assert world.updated(group).epoch == group.epoch

    world.subscriptions.topic_changed(group)

    later = world.updated(group)
    assert later.epoch == group.epoch + 1
    assert later.metadata_hash != group.metadata_hash


def test_topics_are_compared_again_after_a_dropped_draft(world: World) -> None:
    """The log has refused its records."""
    group = world.updated(group_of(member("a", "t")))
    world.grow()
    world.subscriptions.topic_changed(group)
    world.subscriptions.update_epoch(GroupDraft(group), bump=False)

    assert world.updated(group).epoch == group.epoch + 1


def test_a_replaced_member_does_not_increase_the_epoch(world: World) -> None:
    """Its subscription is compared with that of the instance, as in Kafka."""
    group = world.updated(group_of(member("a", "t"), member("b", "u")))
    draft = GroupDraft(group)
    draft.remove("a")
    draft.has_replaced = True
    world.subscriptions.update_epoch(draft, bump=False)

    assert draft.group.epoch == group.epoch


def test_topics_are_compared_again_after_a_removal(world: World) -> None:
    """A group that is loaded again may have missed changes."""
    group = world.updated(group_of(member("a", "t")))
    world.grow()
    world.subscriptions.remove(group)

    assert world.updated(group).epoch == group.epoch + 1


def test_unrelated_topics_do_not_increase_the_epoch(world: World) -> None:
    """The topics are compared and found equal."""
    group = world.updated(group_of(member("a", "u")))
    world.grow()
    world.subscriptions.topic_changed(group)

    assert world.updated(group) is group


def test_the_partition_metadata_of_older_brokers_is_removed(world: World) -> None:
    """With the first comparison of the group's topics (KIP-1101)."""
    group = group_of(member("a", "t"))
    group.has_partition_metadata_record = True

    assert not world.updated(group).has_partition_metadata_record


# ------------------------------------------------------------------------- regular expressions


def written(group: ConsumerGroup) -> GroupDraft:
    """A draft in which member a subscribes to t.*."""
    draft = GroupDraft(group)
    draft.write_metadata(A)
    return draft


def test_a_new_expression_is_not_resolved_yet(world: World) -> None:
    """The group epoch is unchanged."""
    assert not world.subscriptions.update_regex(written(group_of()), member("a"), A)


def test_the_topics_of_a_known_expression_are_known(world: World) -> None:
    """Another member subscribes to it."""
    group = world.resolved(group_of(member("b", subscribed_topic_regex="t.*")))

    assert world.subscriptions.update_regex(written(group), member("a"), A)


def test_the_same_expression_again_changes_nothing(world: World) -> None:
    """It is not validated again."""
    assert not world.subscriptions.update_regex(written(group_of()), A, A)


def test_an_invalid_expression_is_refused(world: World) -> None:
    """With RE2/J's message."""
    bad = member("a", subscribed_topic_regex="[")
    draft = GroupDraft(group_of())
    draft.write_metadata(bad)
    with pytest.raises(ApiError) as refused:
        world.subscriptions.update_regex(draft, member("a"), bad)

    assert refused.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert refused.value.message == (
        "SubscribedTopicRegex `[` is not a valid regular expression: missing closing ]."
    )


def test_an_expression_without_subscribers_is_removed(world: World) -> None:
    """Unless another member subscribes to it."""
    group = world.resolved(group_of(A, member("b", subscribed_topic_regex="t.*")))
    for name, left in (("a", {"t.*"}), ("b", set())):
        draft = GroupDraft(group)
        plain = member(name, "u")
        draft.write_metadata(plain)
        assert world.subscriptions.update_regex(
            draft, member(name, subscribed_topic_regex="t.*"), plain
        )
        group = draft.group
        assert group.regexes.keys() == left


def test_the_expression_of_a_replaced_member_is_removed(world: World) -> None:
    """Even if the new member has none."""
    group = world.resolved(group_of(A))
    draft = GroupDraft(group)
    plain = member("a", "u")
    draft.write_metadata(plain)
    draft.has_replaced = True

    assert not world.subscriptions.update_regex(draft, plain, plain)
    assert draft.group.regexes == {}


def test_resolving_writes_the_matching_topics(world: World) -> None:
    """All expressions of the group cause one new epoch."""
    group = world.resolved(group_of(A, member("b", subscribed_topic_regex="[uv]")))

    assert {regex: each.topics for regex, each in group.regexes.items()} == {
        "t.*": frozenset({"t"}),
        "[uv]": frozenset({"u"}),
    }
    assert group.regexes["t.*"].timestamp_ms == EPOCH_MS
    assert group.epoch == 3


def test_resolving_again_with_the_same_topics_keeps_the_epoch(world: World) -> None:
    """Only the time of the resolution is written."""
    group = world.resolved(group_of(A))
    world.clock.time_ms = 20_000
    again = world.resolved(group)

    assert again.epoch == group.epoch
    assert again.regexes["t.*"].timestamp_ms == EPOCH_MS + 20_000


# ------------------------------------------------------------------------------------- refresh


def due(world: World, group: ConsumerGroup, *, after_ms: float = 0) -> bool:
    """Whether a resolution is due *after_ms* after the last one."""
    world.clock.time_ms = after_ms
    return world.subscriptions.is_refresh_due(group, group)


def test_new_expressions_are_resolved(world: World) -> None:
    """Topic names need no resolution."""
    assert due(world, group_of(A))
    assert not due(world, group_of(member("a", "t")))


def test_changed_topics_are_resolved_after_ten_seconds(world: World) -> None:
    """At the earliest."""
    group = world.resolved(group_of(A))
    world.grow()

    assert [due(world, group, after_ms=ms) for ms in (10_000, 10_001)] == [False, True]


def test_a_new_expression_waits_for_ten_seconds_after_a_resolution(world: World) -> None:
    """As changed topics do."""
    group = world.resolved(group_of(A))
    group.put(member("b", subscribed_topic_regex="u"))

    assert [due(world, group, after_ms=ms) for ms in (10_000, 10_001)] == [False, True]


def test_expressions_are_resolved_again_after_the_refresh_interval(world: World) -> None:
    """``group.consumer.regex.refresh.interval.ms``."""
    group = world.resolved(group_of(A))

    assert [due(world, group, after_ms=ms) for ms in (20_000, 20_001)] == [False, True]


def test_unresolved_expressions_are_left_for_the_next_resolution(world: World) -> None:
    """A member has subscribed to one while the others were being resolved."""
    draft = GroupDraft(group_of(A, member("b", subscribed_topic_regex="u")))
    world.subscriptions.resolve(draft, Resolved({"t.*": frozenset("t"), "gone": frozenset()}, 1))

    assert draft.group.regexes.keys() == {"t.*"}


def test_the_error_of_a_long_expression_is_cached() -> None:
    """A thread parses it, so that the heartbeat need not."""
    regex_error.cache_clear()
    assert regex_error("(" * 50) == "missing closing )"
    assert regex_error("a" * 2000) is None
    regex_error("a" * 2000)

    assert regex_error.cache_info().hits == 1
