"""Random programs about a group whose members commit offsets in transactions.

Members of both protocols enter and leave while a transactional producer commits offsets as one of
them, often with another epoch. Offsets are also committed and deleted outside of transactions, and
the group is deleted, while offsets are pending.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from integration.parity.group_programs import (
    MEMBERS,
    Beat,
    ClassicBeat,
    CommitAs,
    DeleteGroup,
    Enter,
    Join,
    Leave,
    epochs,
    instances,
)
from integration.parity.programs import PARTITIONS, Step
from integration.parity.transaction_player import Session, TransactionStep
from integration.parity.transaction_requests import TIMEOUT_MS
from integration.parity.transaction_steps import (
    AddOffsets,
    Choice,
    CommitOffset,
    Committed,
    End,
    Init,
)
from integration.parity.weighted import weighted
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

_STEPS_MAX = 14
_LATEST = Choice(back=0, epoch_change=0)


@dataclass(frozen=True)
class InGroup:
    """A request about the group."""

    step: Step

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        return session.send(self.step.request(session.place))


@dataclass(frozen=True)
class DeleteOffset:
    """Delete the offset of a partition, which also removes a pending one."""

    partition: int

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        place = session.place
        index = place.first_partition + self.partition
        partition = OffsetDeleteRequestPartition(partition_index=index)
        topic = OffsetDeleteRequestTopic(name=place.topic, partitions=[partition])
        return session.send(OffsetDeleteRequest(group_id=place.group, topics=[topic]))


def _enter(member: str, topics: int) -> Enter:
    """Enter as a dynamic member; the last one is static.

    A dynamic member does not become a static one: if it thereby replaces another member, Kafka
    assigns no partitions to it.
    """
    return Enter(member, "i0" if member == MEMBERS[-1] else None, topics, None)


def group_transaction_programs() -> st.SearchStrategy[list[TransactionStep]]:
    """Programs that begin with a member and the identity of its producer."""
    member, instance, epoch = st.sampled_from(MEMBERS), instances(), epochs()
    latest, partition = st.just(_LATEST), st.integers(0, PARTITIONS - 1)
    begin = st.builds(Init, st.just(5), st.just(TIMEOUT_MS), st.none())
    enter = st.builds(_enter, member, st.integers(0, 2))
    of_nobody = st.builds(
        CommitOffset, st.sampled_from((3, 4, 5)), latest, partition, st.integers(0, 9)
    )
    of_member = st.builds(
        CommitOffset,
        st.sampled_from((5, 5, 5, 4, 3)),
        latest,
        partition,
        st.integers(0, 9),
        member,
        epoch | st.just(-1),
        instance,
    )
    in_group: tuple[st.SearchStrategy[Step], ...] = (
        enter,
        st.builds(Beat, member, instance, epoch, st.booleans()),
        st.builds(Beat, member, instance, st.sampled_from((-1, -1, -2)), st.just(False)),
        st.builds(Join, st.just(""), st.none(), st.integers(0, 2)),
        st.builds(ClassicBeat, member, instance, epoch),
        st.builds(Leave, member, instance),
        st.builds(CommitAs, st.sampled_from(("", *MEMBERS)), epoch | st.just(-1)),
        st.just(DeleteGroup()),
    )
    ends = st.builds(End, st.sampled_from((5, 5, 4)), latest, st.booleans())
    steps: tuple[st.SearchStrategy[TransactionStep], ...] = (
        *(st.builds(InGroup, each) for each in in_group),
        *(of_member,) * 4,
        of_nobody,
        st.builds(AddOffsets, st.just(3), latest),
        st.builds(DeleteOffset, partition),
        *(ends,) * 2,
        st.builds(Committed, st.booleans()),
        begin,
    )
    return st.builds(
        lambda first, second, rest: [first, second, *rest],
        begin,
        st.builds(InGroup, enter),
        st.lists(weighted(steps), min_size=2, max_size=_STEPS_MAX),
    )
