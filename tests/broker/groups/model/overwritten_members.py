"""Finds groups in which a static member has replaced another and overwritten a third.

A member may join with the instance id of another member while it is in the group itself. It then
becomes a copy of the member it replaces, and its own subscription is lost. Kafka compares the
request only with the copy (``getOrMaybeSubscribeStaticConsumerGroupMember``). If these
subscriptions are equal, the group epoch and the metadata hash are unchanged, so the hash is still
that of the lost subscription. The next epoch has the hash of the present topics.
"""

from __future__ import annotations

from collections.abc import Mapping

from broker.groups.consumer.group import ConsumerGroup
from broker.groups.group_states import AnyGroup


class OverwrittenMembers:
    """Compares the groups after each step with those before it."""

    def __init__(self) -> None:
        self._before: dict[str, ConsumerGroup] = {}
        # The epoch of each group when a member was last overwritten.
        self._epochs: dict[str, int] = {}

    def update(self, groups: Mapping[str, AnyGroup]) -> None:
        """Compare *groups* with those of the last call."""
        present = {key: each for key, each in groups.items() if isinstance(each, ConsumerGroup)}
        for group_id, group in present.items():
            before = self._before.get(group_id)
            if before is not None and _is_any_overwritten(before, group):
                self._epochs[group_id] = group.epoch
        self._before = present

    def is_hash_kept(self, group: ConsumerGroup) -> bool:
        """Whether a member was overwritten in the present epoch of the group."""
        return self._epochs.get(group.group_id) == group.epoch


def _is_any_overwritten(before: ConsumerGroup, after: ConsumerGroup) -> bool:
    """Whether a former member now has the instance id of another one."""
    return any(
        before.static_members.get(instance_id, member_id) != member_id
        and member_id in before.members
        for instance_id, member_id in after.static_members.items()
    )
