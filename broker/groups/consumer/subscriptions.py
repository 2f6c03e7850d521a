"""Increases the group epoch when subscriptions or subscribed topics change.

A regular expression is not resolved by the heartbeat that contains it but after it, together with
the others of the group, so that several changes cause one rebalance (`regex_resolution`).
"""

from __future__ import annotations

from functools import lru_cache

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.member import ConsumerGroupMember
from broker.groups.consumer.regex.parser import parse
from broker.groups.consumer.regex.syntax import InvalidRegex
from broker.groups.consumer.regex_resolution import Resolved
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from broker.groups.epochs import next_epoch
from broker.groups.metadata_image import CoordinatorMetadataImage
from protocol.errors import ErrorCode

# The shortest time between two resolutions of a group's regular expressions.
REGEX_REFRESH_INTERVAL_MIN_MS = 10_000

# Parsing a pattern takes up to three microseconds a character. A longer one is parsed in a worker
# thread before its heartbeat is handled, which then uses the cached result.
PARSED_AT_ONCE_MAX = 1000
_ERRORS_KEPT = 100


class Subscriptions:
    """Compares the subscriptions of groups with the topics of the cluster.

    The regular expressions of a group are resolved again after *refresh_interval_ms*.
    """

    def __init__(
        self, clock: Clock, topics: CoordinatorMetadataImage, refresh_interval_ms: int
    ) -> None:
        self._clock = clock
        self._topics = topics
        self._refresh_interval_ms = refresh_interval_ms
        # Groups whose topics have not changed since they were last compared.
        self._up_to_date: set[str] = set()

    # -------------------------------------------------------------------------------- epoch

    def topic_changed(self, group: ConsumerGroup) -> None:
        """Compare the topics of the group again: one was created, changed or deleted."""
        self._up_to_date.discard(group.group_id)

    def mark_up_to_date(self, group: ConsumerGroup) -> None:
        """Note that the appended metadata hash of the group is that of its present topics."""
        self._up_to_date.add(group.group_id)

    def remove(self, group: ConsumerGroup) -> None:
        """Remove a group that is deleted, converted or unloaded."""
        self._up_to_date.discard(group.group_id)

    def update_epoch(self, draft: GroupDraft, *, bump: bool) -> None:
        """Increase the group epoch if *bump*, or if the subscribed topics have changed."""
        group = draft.group
        if not bump and group.group_id in self._up_to_date:
            return
        metadata_hash = self.metadata_hash(group)
        if bump or metadata_hash != group.metadata_hash:
            draft.write_epoch(next_epoch(group.epoch), metadata_hash)
        if group.has_partition_metadata_record:
            draft.remove_partition_metadata()
        draft.is_up_to_date = True

    def is_settled(self, group: ConsumerGroup, request: ConsumerGroupHeartbeat) -> bool:
        """Whether a heartbeat changes nothing: its member is reconciled, the target is current."""
        member = group.members.get(request.member_id)
        return (
            member is not None
            and request.subscribed_topic_names is None
            and request.subscribed_topic_regex is None
            and group.group_id in self._up_to_date
            and group.epoch <= group.assignment_epoch
            and member.is_reconciled_to(group.assignment_epoch)
        )

    def metadata_hash(self, group: ConsumerGroup) -> int:
        """The hash of the topics that a group subscribes to."""
        return self._topics.hash_of(group.all_subscribed_topics())

    # ------------------------------------------------------------------ regular expressions

    def update_regex(
        self, draft: GroupDraft, before: ConsumerGroupMember, after: ConsumerGroupMember
    ) -> bool:
        """Note that a member has changed its regular expression.

        Returns whether its topics have changed and are known. Raises `ApiError` if the expression
        is new to the group and invalid.
        """
        old, new = before.subscribed_topic_regex, after.subscribed_topic_regex
        if old != new or draft.has_replaced:
            draft.remove_unsubscribed_regexes()
        if old == new:
            return False
        if new and draft.group.subscribers_of_regex(new) == 1:
            _check_regex(new)
        return new in draft.group.regexes if new else bool(old)

    def is_refresh_due(self, before: ConsumerGroup, group: ConsumerGroup) -> bool:
        """Whether the regular expressions of a group must be resolved after a heartbeat."""
        regexes = group.subscribed_regexes()
        if not regexes:
            return False
        resolved_ms = max((each.timestamp_ms for each in before.regexes.values()), default=0)
        age_ms = self._clock.wall_ms() - resolved_ms
        if age_ms <= REGEX_REFRESH_INTERVAL_MIN_MS:
            return False
        resolved = group.regexes.values()
        return (
            len(regexes) != len(resolved)
            or min(each.version for each in resolved) < self._topics.version
            or age_ms > self._refresh_interval_ms
        )

    def resolve(self, draft: GroupDraft, resolved: Resolved) -> None:
        """Write the topics of the group's regular expressions that have been resolved."""
        changed = False
        now_ms = self._clock.wall_ms()
        for regex in sorted(draft.group.subscribed_regexes() & resolved.topics.keys()):
            before = draft.group.regexes.get(regex)
            matches = resolved.topics[regex]
            changed |= matches != (frozenset() if before is None else before.topics)
            draft.write_regex(regex, ResolvedRegex(matches, resolved.version, now_ms))
        metadata_hash = self.metadata_hash(draft.group)
        if changed or metadata_hash != draft.group.metadata_hash:
            draft.write_epoch(next_epoch(draft.group.epoch), metadata_hash)


@lru_cache(_ERRORS_KEPT)
def regex_error(regex: str) -> str | None:
    """RE2/J's error message for a regular expression; None if it is valid."""
    try:
        parse(regex)
    except InvalidRegex as error:
        return str(error)
    return None


def _check_regex(regex: str) -> None:
    error = regex_error(regex)
    if error is not None:
        raise ApiError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            f"SubscribedTopicRegex `{regex}` is not a valid regular expression: {error}.",
        )
