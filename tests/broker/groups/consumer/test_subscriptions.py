"""When subscriptions ask for a new assignment (regex and metadata tests of Kafka's manager)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.controller.image import MetadataImage, PartitionRegistration, TopicImage
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.metadata_image import CoordinatorMetadataImage
from broker.groups.consumer.regex_resolution import Resolved, matching
from broker.groups.consumer.subscriptions import Subscriptions, regex_error
from protocol.errors import ErrorCode
from tests.broker.groups.consumer.books import T, group_of, image_of, member
from tests.broker.groups.virtual_world import EPOCH_MS, ManualClock

A = member("a", subscribed_topic_regex="t.*")


class World:
    """Topics t and u, and the subscriptions that follow them."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.image: MetadataImage = image_of(t=2, u=1)
        self.topics = CoordinatorMetadataImage(lambda: self.image)
        self.subscriptions = Subscriptions(self.clock, self.topics)

    def grow(self) -> None:
        """Topic t gets a third partition."""
        registration = PartitionRegistration((1,), (1,), 1)
        self.image.put(TopicImage("t", T, {}, (registration,) * 3))
        self.topics.version += 1

    def updated(self, group: ConsumerGroup, *, bump: bool = False) -> ConsumerGroup:
        draft = GroupDraft(group)
        self.subscriptions.update_epoch(draft, bump=bump)
        if draft.is_up_to_date:
            self.subscriptions.topics_seen(draft.group)
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


def test_another_subscription_raises_the_epoch(world: World) -> None:
    """Whatever the topics are."""
    group = world.updated(group_of(member("a", "t")))

    assert world.updated(group, bump=True).epoch == group.epoch + 1
    assert world.updated(group) is group


def test_topics_that_have_changed_raise_the_epoch(world: World) -> None:
    """Mirrors testSubscriptionMetadataRefreshedAfterGroupIsLoaded: once it is told of them."""
    group = world.updated(group_of(member("a", "t")))
    world.grow()
    assert world.updated(group).epoch == group.epoch

    world.subscriptions.topic_changed(group)

    later = world.updated(group)
    assert later.epoch == group.epoch + 1
    assert later.metadata_hash != group.metadata_hash


def test_a_draft_that_is_dropped_has_seen_nothing(world: World) -> None:
    """The log has refused it: the topics are compared again."""
    group = world.updated(group_of(member("a", "t")))
    world.grow()
    world.subscriptions.topic_changed(group)
    world.subscriptions.update_epoch(GroupDraft(group), bump=False)

    assert world.updated(group).epoch == group.epoch + 1


def test_a_member_in_another_s_place_leaves_the_epoch_as_it_is(world: World) -> None:
    """Its subscription is compared with that of the instance, as in Kafka."""
    group = world.updated(group_of(member("a", "t"), member("b", "u")))
    draft = GroupDraft(group)
    draft.remove("a")
    draft.has_replaced = True
    world.subscriptions.update_epoch(draft, bump=False)

    assert draft.group.epoch == group.epoch


def test_a_group_that_is_forgotten_is_compared_anew(world: World) -> None:
    """One that comes back may have missed changes."""
    group = world.updated(group_of(member("a", "t")))
    world.grow()
    world.subscriptions.remove(group)

    assert world.updated(group).epoch == group.epoch + 1


def test_a_change_that_concerns_nobody_raises_nothing(world: World) -> None:
    """Looked at, and found to be the same."""
    group = world.updated(group_of(member("a", "u")))
    world.grow()
    world.subscriptions.topic_changed(group)

    assert world.updated(group) is group


def test_what_older_brokers_kept_of_topics_is_removed(world: World) -> None:
    """KIP-1101: once, with the first look at the group."""
    group = group_of(member("a", "t"))
    group.has_partition_metadata_record = True

    assert not world.updated(group).has_partition_metadata_record


# ------------------------------------------------------------------------- regular expressions


def written(group: ConsumerGroup) -> GroupDraft:
    """A draft in which member a has written down that it subscribes to t.*."""
    draft = GroupDraft(group)
    draft.write_metadata(A)
    return draft


def test_an_expression_that_nobody_knew_is_not_resolved_yet(world: World) -> None:
    """The group goes on as it is."""
    assert not world.subscriptions.update_regex(written(group_of()), member("a"), A)


def test_an_expression_that_another_member_has_too(world: World) -> None:
    """Its topics are known already."""
    group = world.resolved(group_of(member("b", subscribed_topic_regex="t.*")))

    assert world.subscriptions.update_regex(written(group), member("a"), A)


def test_the_same_expression_again_changes_nothing(world: World) -> None:
    """Not even if it is none: it was looked at when it came."""
    assert not world.subscriptions.update_regex(written(group_of()), A, A)


def test_what_is_no_expression_is_refused(world: World) -> None:
    """The member is told why."""
    bad = member("a", subscribed_topic_regex="[")
    draft = GroupDraft(group_of())
    draft.write_metadata(bad)
    with pytest.raises(ApiError) as refused:
        world.subscriptions.update_regex(draft, member("a"), bad)

    assert refused.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert refused.value.message == (
        "SubscribedTopicRegex `[` is not a valid regular expression: missing closing ]."
    )


def test_an_expression_that_nobody_has_any_more_is_forgotten(world: World) -> None:
    """Others may still have it."""
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


def test_an_expression_of_a_member_that_was_replaced_is_forgotten(world: World) -> None:
    """Even if the member in its place has none before and none after."""
    group = world.resolved(group_of(A))
    draft = GroupDraft(group)
    plain = member("a", "u")
    draft.write_metadata(plain)
    draft.has_replaced = True

    assert not world.subscriptions.update_regex(draft, plain, plain)
    assert draft.group.regexes == {}


def test_resolving_finds_the_topics_that_there_are(world: World) -> None:
    """All of the group's expressions together make one new epoch."""
    group = world.resolved(group_of(A, member("b", subscribed_topic_regex="[uv]")))

    assert {regex: each.topics for regex, each in group.regexes.items()} == {
        "t.*": frozenset({"t"}),
        "[uv]": frozenset({"u"}),
    }
    assert group.regexes["t.*"].timestamp_ms == EPOCH_MS
    assert group.epoch == 3


def test_resolving_again_to_the_same_is_no_new_epoch(world: World) -> None:
    """Only when it was looked at is noted."""
    group = world.resolved(group_of(A))
    world.clock.time_ms = 20_000
    again = world.resolved(group)

    assert again.epoch == group.epoch
    assert again.regexes["t.*"].timestamp_ms == EPOCH_MS + 20_000


# ------------------------------------------------------------------------------------- refresh


def due(world: World, group: ConsumerGroup, *, after_ms: float = 0) -> bool:
    """Whether a group is looked at again, some time after its last look."""
    world.clock.time_ms = after_ms
    return world.subscriptions.is_refresh_due(group, group)


def test_new_expressions_are_looked_at(world: World) -> None:
    """Names alone need no look."""
    assert due(world, group_of(A))
    assert not due(world, group_of(member("a", "t")))


def test_other_topics_are_looked_at_but_not_too_often(world: World) -> None:
    """Every ten seconds at most."""
    group = world.resolved(group_of(A))
    world.grow()

    assert [due(world, group, after_ms=ms) for ms in (10_000, 10_001)] == [False, True]


def test_a_newcomer_s_expression_waits_its_turn_too(world: World) -> None:
    """The group was looked at a moment ago."""
    group = world.resolved(group_of(A))
    group.put(member("b", subscribed_topic_regex="u"))

    assert [due(world, group, after_ms=ms) for ms in (10_000, 10_001)] == [False, True]


def test_expressions_are_looked_at_now_and_then_without_a_reason(world: World) -> None:
    """``group.consumer.regex.refresh.interval.ms``, ten minutes."""
    group = world.resolved(group_of(A))

    assert [due(world, group, after_ms=ms) for ms in (600_000, 600_001)] == [False, True]


def test_expressions_that_were_not_resolved_are_left_for_the_next_time(world: World) -> None:
    """A member has subscribed to another one while the others were being resolved."""
    draft = GroupDraft(group_of(A, member("b", subscribed_topic_regex="u")))
    world.subscriptions.resolve(draft, Resolved({"t.*": frozenset("t"), "gone": frozenset()}, 1))

    assert draft.group.regexes.keys() == {"t.*"}


def test_what_is_wrong_with_a_long_expression_is_remembered() -> None:
    """A thread reads it, so that the heartbeat need not."""
    regex_error.cache_clear()
    assert regex_error("(" * 50) == "missing closing )"
    assert regex_error("a" * 2000) is None
    regex_error("a" * 2000)

    assert regex_error.cache_info().hits == 1
