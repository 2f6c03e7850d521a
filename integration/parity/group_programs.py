"""Random programs about one group: members of both protocols join, heartbeat and leave.

Members choose their own ids, and epochs are small, so that many requests are valid and many are
nearly valid: another member's id, an old epoch, an instance id in use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from integration.parity.group_requests import commit, consumer_heartbeat, heartbeat, join, leave
from integration.parity.programs import Place, Step
from integration.parity.weighted import weighted
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity

GROUP_STEPS_MAX = 12
MEMBERS = ("m0", "m1", "m2")
_INSTANCES = (None, "i0", "i1")
_ABSENT = "there-is-no-such-topic"
_NOTHING: Mapping[UUID, Sequence[int]] = {}


@dataclass(frozen=True)
class Enter:
    """Join with the consumer protocol; *topics* is a number, of which the second does not exist."""

    member: str
    instance: str | None
    topics: int
    assignor: str | None

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return consumer_heartbeat(
            place.group,
            self.member,
            0,
            topics=(place.topic, _ABSENT)[: self.topics],
            owned=_NOTHING,
            instance=self.instance,
            assignor=self.assignor,
        )


@dataclass(frozen=True)
class Beat:
    """A heartbeat of the consumer protocol, which may report no owned partitions."""

    member: str
    instance: str | None
    epoch: int
    owns_nothing: bool

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return consumer_heartbeat(
            place.group,
            self.member,
            self.epoch,
            owned=_NOTHING if self.owns_nothing else None,
            instance=self.instance,
        )


@dataclass(frozen=True)
class Join:
    """Join a group of the consumer protocol, or create one, as a classic member."""

    member: str
    instance: str | None
    topics: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        names = [place.topic, _ABSENT][: self.topics]
        metadata = write_subscription(ConsumerProtocolSubscription(topics=names), 1)
        return join(
            place.group, self.member, instance=self.instance, protocols=(("range", metadata),)
        )


@dataclass(frozen=True)
class ClassicBeat:
    """A heartbeat of the classic protocol."""

    member: str
    instance: str | None
    generation: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return heartbeat(place.group, self.member, self.generation, instance=self.instance)


@dataclass(frozen=True)
class Leave:
    """Remove a member, by its id or by its instance id alone."""

    member: str
    instance: str | None

    def request(self, place: Place) -> Any:
        """See `Step`."""
        if self.instance is None:
            return leave(place.group, self.member)
        gone = MemberIdentity(member_id=self.member, group_instance_id=self.instance)
        return LeaveGroupRequest(group_id=place.group, members=[gone])


@dataclass(frozen=True)
class CommitAs:
    """Commit offsets under an epoch."""

    member: str
    epoch: int

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return commit(place.group, place.topic, {0: 1}, member=self.member, generation=self.epoch)


@dataclass(frozen=True)
class Describe:
    """Describe the group."""

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return ConsumerGroupDescribeRequest(group_ids=[place.group])


@dataclass(frozen=True)
class DeleteGroup:
    """Delete the group, which fails while it has members."""

    def request(self, place: Place) -> Any:
        """See `Step`."""
        return DeleteGroupsRequest(groups_names=[place.group])


def instances() -> st.SearchStrategy[str | None]:
    """The instance id of a member, mostly none."""
    return st.sampled_from((None, *_INSTANCES))


def epochs() -> st.SearchStrategy[int]:
    """Member epochs and generations; a new group begins with small ones."""
    return st.sampled_from((2, 2, 3, 3, 4, 5, 6, 0, 1, -3))


def group_programs() -> st.SearchStrategy[list[Step]]:
    """Programs whose steps are mostly heartbeats of the consumer protocol."""
    member, instance, epoch = st.sampled_from(MEMBERS), instances(), epochs()
    enter = st.builds(
        Enter,
        member,
        instance,
        st.integers(0, 2),
        st.sampled_from((None, None, "range", "uniform", "unknown")),
    )
    quits = st.sampled_from((-1, -1, -2))
    steps: tuple[st.SearchStrategy[Step], ...] = (
        enter,
        enter,
        st.builds(Beat, member, instance, epoch, st.booleans()),
        st.builds(Beat, member, instance, quits, st.just(False)),
        # Not by a member id: Kafka then removes an empty consumer group temporarily from memory,
        # but not from its log.
        st.builds(Join, st.just(""), instance, st.integers(0, 2)),
        st.builds(ClassicBeat, member, instance, epoch),
        st.builds(Leave, st.sampled_from(("", *MEMBERS)), instance),
        st.builds(CommitAs, member, epoch),
        st.just(Describe()),
        st.just(DeleteGroup()),
    )
    return st.builds(
        lambda first, rest: [first, *rest],
        enter,
        st.lists(weighted(steps), min_size=1, max_size=GROUP_STEPS_MAX),
    )
