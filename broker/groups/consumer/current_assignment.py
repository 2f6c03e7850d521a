"""Reconciles a member with its target, one step at a time (Kafka's ``CurrentAssignmentBuilder``).

    STABLE ----------------> UNREVOKED_PARTITIONS    the member has to revoke partitions, and stays
      ^     new target               |               in its epoch until it has
      |                              v revoked
      +<------------------- UNRELEASED_PARTITIONS    the member has the epoch of the target, but
        all partitions free         ^ |              other members own some of its partitions
                                    +-+

A member has revoked a partition when its heartbeat lists owned partitions without that partition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from broker.common.errors import ApiError
from broker.groups.consumer.member import (
    ConsumerGroupMember,
    MemberState,
    OwnedPartitions,
    Partitions,
)
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

# The partitions that a heartbeat lists as owned; None if it contains no list.
Owned = Mapping[UUID, Sequence[int]] | None
# Returns the owner of each partition of a topic.
OwnersOf = Callable[[UUID], Mapping[int, str]]

_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentAssignmentBuilder:
    """The target of a member, and the state of its group.

    ``subscribed`` are the topics that the member subscribes to.
    """

    target_epoch: int
    target: Partitions
    owned: Owned
    subscribed: frozenset[UUID]
    has_subscription_changed: bool
    owners_of: OwnersOf

    def build(self, member: ConsumerGroupMember) -> ConsumerGroupMember:
        """Return *member* after this step; the same object if it is unchanged."""
        match member.state:
            case MemberState.STABLE:
                if member.member_epoch != self.target_epoch:
                    return self._compute_next_assignment(member, member.member_epoch)
                return self._maybe_revoke_unsubscribed(member)
            case MemberState.UNREVOKED_PARTITIONS:
                if self._still_owns(member.pending_revocation):
                    return self._maybe_revoke_unsubscribed(member)
                return self._compute_next_assignment(member, member.member_epoch)
            case MemberState.UNRELEASED_PARTITIONS:
                return self._compute_next_assignment(member, member.member_epoch)
        if self.owned is None or self.owned:
            raise ApiError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                "The consumer group member is in a unknown state. "
                "The member must abandon all its partitions and rejoin.",
            )
        return self._compute_next_assignment(member, self.target_epoch)

    def _compute_next_assignment(
        self, member: ConsumerGroupMember, member_epoch: int
    ) -> ConsumerGroupMember:
        kept, revoked = self._split(member)
        if revoked and self._still_owns(revoked):
            return _revoking(member, member_epoch, kept, revoked)
        assigned, is_complete = self._with_free_partitions(kept, member.member_id)
        return replace(
            member.at_epoch(self.target_epoch),
            state=MemberState.STABLE if is_complete else MemberState.UNRELEASED_PARTITIONS,
            assigned=assigned,
            pending_revocation={},
        )

    def _target_of(self, topic_id: UUID) -> frozenset[int]:
        """The target partitions of a topic; none if the member does not subscribe to it."""
        return self.target.get(topic_id, _NOTHING) if topic_id in self.subscribed else _NOTHING

    def _split(self, member: ConsumerGroupMember) -> tuple[OwnedPartitions, OwnedPartitions]:
        """The assigned partitions that are in the target, and those that are not."""
        kept: dict[UUID, dict[int, int]] = {}
        revoked: dict[UUID, dict[int, int]] = {}
        for topic_id, partitions in member.assigned.items():
            target = self._target_of(topic_id)
            for partition, epoch in partitions.items():
                side = kept if partition in target else revoked
                side.setdefault(topic_id, {})[partition] = epoch
        return kept, revoked

    def _with_free_partitions(
        self, kept: OwnedPartitions, member_id: str
    ) -> tuple[OwnedPartitions, bool]:
        """The target partitions that no other member owns, and whether these are all of them."""
        assigned = {topic_id: dict(partitions) for topic_id, partitions in kept.items()}
        is_complete = True
        for topic_id in self.target:
            missing = self._target_of(topic_id) - assigned.get(topic_id, {}).keys()
            if not missing:
                continue
            owners = self.owners_of(topic_id)
            free = [each for each in missing if owners.get(each, member_id) == member_id]
            is_complete &= len(free) == len(missing)
            if free:
                got = dict.fromkeys(sorted(free), self.target_epoch)
                assigned.setdefault(topic_id, {}).update(got)
        return assigned, is_complete

    def _maybe_revoke_unsubscribed(self, member: ConsumerGroupMember) -> ConsumerGroupMember:
        """Revoke topics that the member no longer subscribes to, before there is a new target."""
        if not self.has_subscription_changed:
            return member
        unwanted = {
            topic_id: partitions
            for topic_id, partitions in member.assigned.items()
            if topic_id not in self.subscribed
        }
        if not unwanted:
            return member
        kept = {
            topic_id: partitions
            for topic_id, partitions in member.assigned.items()
            if topic_id in self.subscribed
        }
        revoked = {topic_id: dict(parts) for topic_id, parts in member.pending_revocation.items()}
        for topic_id, partitions in unwanted.items():
            revoked[topic_id] = {**revoked.get(topic_id, {}), **partitions}
        if self._still_owns(revoked):
            return _revoking(member, member.member_epoch, kept, revoked)
        return replace(member, assigned=kept)

    def _still_owns(self, revoked: OwnedPartitions) -> bool:
        """Whether the member may own partitions that it has to revoke."""
        if self.owned is None:
            return True
        return any(
            partition in revoked.get(topic_id, ())
            for topic_id, partitions in self.owned.items()
            for partition in partitions
        )


def _revoking(
    member: ConsumerGroupMember,
    member_epoch: int,
    kept: OwnedPartitions,
    revoked: OwnedPartitions,
) -> ConsumerGroupMember:
    return replace(
        member.at_epoch(member_epoch),
        state=MemberState.UNREVOKED_PARTITIONS,
        assigned=kept,
        pending_revocation=revoked,
    )
