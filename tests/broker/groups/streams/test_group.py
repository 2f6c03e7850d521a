"""The state of a group, and who may commit, fetch and delete its offsets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.group import Committer
from broker.groups.streams.current_assignment import CurrentAssignment, MemberState
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.tasks import TasksWithEpochs
from protocol.errors import ErrorCode
from protocol.schema import ZERO_UUID
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import owned, shown

STALE, ILLEGAL = ErrorCode.STALE_MEMBER_EPOCH, ErrorCode.ILLEGAL_GENERATION
UNKNOWN_MEMBER = ErrorCode.UNKNOWN_MEMBER_ID

# A member in epoch 5 that got a task in epoch 3 and another one in epoch 5, and revokes a third.
M = StreamsGroupMember(
    member_id="m",
    process_id="p",
    current=CurrentAssignment(
        member_epoch=5,
        assigned=TasksWithEpochs(active={"0": {0: 3, 1: 5}}, standby={"0": (3,)}),
        pending_revocation=TasksWithEpochs(active={"0": {2: 3}}),
    ),
)


def group_of(*members: StreamsGroupMember, epoch: int = 5) -> StreamsGroup:
    """A group whose target is that of its epoch, and whose topics exist."""
    group = StreamsGroup("g")
    group.epoch = group.assignment_epoch = epoch
    group.topology = topology(subtopology("0", "in", reads={"r": 0}))
    group.validated_topology_epoch = 3
    for each in members:
        group.put(each)
    return group


# ---------------------------------------------------------------------------------------- states


def test_a_group_without_members_is_empty() -> None:
    """Whatever its topics are."""
    group = group_of()
    group.validated_topology_epoch = -1

    assert (group.state_name, group.is_empty) == ("Empty", True)


def test_a_group_whose_topics_are_missing_is_not_ready() -> None:
    """Also if its target is old."""
    group = group_of(M)
    group.validated_topology_epoch, group.epoch = -1, 9

    assert group.state_name == "NotReady"


def test_a_group_without_a_topology_is_not_ready() -> None:
    """Its record may have been removed by compaction."""
    group = group_of(M)
    group.topology = None

    assert group.state_name == "NotReady"


def test_a_group_with_an_old_target_is_assigning() -> None:
    """Its epoch is newer than that of the target."""
    group = group_of(M)
    group.epoch = 6

    assert group.state_name == "Assigning"


@pytest.mark.parametrize(
    ("current", "state"),
    [
        (CurrentAssignment(member_epoch=5), "Stable"),
        (CurrentAssignment(member_epoch=4), "Reconciling"),
        (CurrentAssignment(member_epoch=5, state=MemberState.UNREVOKED_TASKS), "Reconciling"),
        (CurrentAssignment(member_epoch=5, state=MemberState.UNRELEASED_TASKS), "Reconciling"),
    ],
)
def test_a_group_is_stable_when_all_members_are(current: CurrentAssignment, state: str) -> None:
    """In the epoch of the target."""
    other = StreamsGroupMember(member_id="n", current=CurrentAssignment(member_epoch=5))

    assert group_of(replace(M, current=current), other).state_name == state


# ---------------------------------------------------------------------------------------- owners


def test_a_member_owns_its_tasks_and_those_that_it_revokes() -> None:
    """By its process."""
    owners = group_of(M).owners

    assert [owners.active("0", each) for each in range(4)] == ["p", "p", "p", None]
    assert owners.standby("0", 3) == {"p"}


def test_a_member_that_changes_releases_its_former_tasks() -> None:
    """The others stay."""
    group = group_of(M)

    group.put(replace(M, current=CurrentAssignment(assigned=TasksWithEpochs(active={"0": {1: 5}}))))

    assert [group.owners.active("0", each) for each in range(3)] == [None, "p", None]


def test_a_removed_member_releases_its_tasks() -> None:
    """All of them."""
    group = group_of(M)

    group.remove("m")

    assert [group.owners.active("0", each) for each in range(3)] == [None] * 3
    assert group.owners.standby("0", 3) == frozenset()


def test_a_copy_is_changed_alone() -> None:
    """Its members, targets and owners."""
    group = group_of(M)
    copied = group.copy()
    copied.remove("m")
    copied.target["m"] = owned().tasks()  # type: ignore[assignment]  # all kinds are reported

    assert (list(group.members), group.target) == (["m"], {})
    assert group.owners.active("0", 0) == "p"


def test_a_shutdown_ends_with_the_last_member() -> None:
    """It goes on while there is another."""
    group = group_of(M, replace(M, member_id="n", process_id="q"))
    group.shutdown_member_id = "m"
    group.remove("m")
    assert group.shutdown_member_id == "m"

    group.remove("n")

    assert group.shutdown_member_id is None


# --------------------------------------------------------------------------------------- commits


def refusal(
    group: StreamsGroup,
    partition: int = 0,
    topic: str = "in",
    *,
    epoch: int = 5,
    member_id: str = "m",
    version: int = 9,
    instance: str | None = None,
    is_transactional: bool = False,
) -> ErrorCode | None:
    """The error of a commit for a partition; None if it is accepted."""
    committer = Committer(
        generation_id_or_member_epoch=epoch,
        member_id=member_id,
        group_instance_id=instance,
        api_version=version,
        is_transactional=is_transactional,
    )
    try:
        check = group.check_offset_commit(committer)
        if check is not None:
            check(topic, ZERO_UUID, partition)
    except ApiError as error:
        return error.code
    return None


@pytest.mark.parametrize("epoch", [-1, -2])
@pytest.mark.parametrize("member_id", ["", "m"])
@pytest.mark.parametrize("version", [2, 8, 9])
def test_simple_consumers_commit_for_an_empty_group(
    epoch: int, member_id: str, version: int
) -> None:
    """With any negative epoch."""
    assert refusal(group_of(), epoch=epoch, member_id=member_id, version=version) is None


@pytest.mark.parametrize("member_id", ["", "m"])
def test_a_member_cannot_commit_for_an_empty_group(member_id: str) -> None:
    """It is unknown."""
    assert refusal(group_of(), epoch=0, member_id=member_id) is UNKNOWN_MEMBER


@pytest.mark.parametrize("member_id", ["", "x"])
@pytest.mark.parametrize("version", [8, 9])
def test_only_members_commit_while_there_are_some(member_id: str, version: int) -> None:
    """The member is checked before the version."""
    assert refusal(group_of(M), epoch=-1, member_id=member_id, version=version) is UNKNOWN_MEMBER


def test_a_member_commits_with_a_version_that_has_epochs() -> None:
    """Older versions have generations."""
    assert refusal(group_of(M), version=8) is ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize("topic", ["in", "other"])
@pytest.mark.parametrize("instance", [None, "i"])
def test_a_member_commits_any_topic_in_its_epoch(topic: str, instance: str | None) -> None:
    """The instance id does not matter."""
    assert refusal(group_of(M), topic=topic, partition=99, instance=instance) is None


@pytest.mark.parametrize(
    ("epoch", "topic", "partition", "error"),
    [
        (6, "in", 0, STALE),
        (4, "in", 0, None),
        (3, "in", 0, None),
        (3, "r", 0, None),
        (2, "in", 0, STALE),
        (-1, "in", 0, STALE),
        (0, "in", 0, STALE),
        (4, "in", 1, STALE),
        (3, "in", 2, None),
        (2, "in", 2, STALE),
        (4, "in", 3, STALE),
        (4, "other", 0, STALE),
    ],
)
@pytest.mark.parametrize("is_transactional", [False, True])
def test_a_member_commits_in_another_epoch(
    epoch: int, topic: str, partition: int, error: ErrorCode | None, is_transactional: bool
) -> None:
    """An older one, in which it already had the active task, also if it has to revoke it now."""
    if is_transactional and error is not None:
        error = ILLEGAL

    assert (
        refusal(group_of(M), partition, topic, epoch=epoch, is_transactional=is_transactional)
        is error
    )


def test_an_assigned_task_counts_before_one_that_is_revoked() -> None:
    """If the member has both, as an inconsistent record may say."""
    both = TasksWithEpochs(active={"0": {0: 1}})
    member = replace(M, current=replace(M.current, pending_revocation=both))

    assert refusal(group_of(member), epoch=2) is STALE


def test_a_group_without_a_topology_has_no_older_epochs() -> None:
    """Its tasks have no topics."""
    group = group_of(M)
    group.topology = None

    assert (refusal(group, epoch=4), refusal(group, epoch=5)) == (STALE, None)


def test_a_transactional_commit_may_name_no_member() -> None:
    """Also while there are members."""
    anonymous: dict[str, Any] = {"epoch": -1, "member_id": "", "is_transactional": True}

    assert refusal(group_of(M), **anonymous) is None
    assert refusal(group_of(), **anonymous) is None
    assert refusal(group_of(M), **anonymous, instance="i") is UNKNOWN_MEMBER


def test_a_transactional_commit_has_any_version() -> None:
    """The version of OffsetCommit does not matter."""
    assert refusal(group_of(M), version=3, is_transactional=True) is None


# --------------------------------------------------------------------- fetches and other requests


@pytest.mark.parametrize(
    ("member_id", "epoch", "error"),
    [
        (None, -1, None),
        (None, -2, None),
        (None, 0, ErrorCode.UNKNOWN_SERVER_ERROR),
        ("x", 5, UNKNOWN_MEMBER),
        ("m", 4, STALE),
        ("m", 6, STALE),
        ("m", -1, STALE),
        ("m", 5, None),
    ],
)
def test_a_fetch_of_offsets(member_id: str | None, epoch: int, error: ErrorCode | None) -> None:
    """A member sends its epoch, other clients none."""
    group = group_of(M)
    if error is None:
        group.check_offset_fetch(member_id, epoch)
        return
    with pytest.raises(ApiError) as refused:
        group.check_offset_fetch(member_id, epoch)
    assert refused.value.code is error


def test_a_group_with_members_reads_its_source_topics() -> None:
    """Also those of repartitions."""
    group = group_of(M)

    topics = ("in", "r", "other")
    assert [group.is_subscribed_to(each) for each in topics] == [True, True, False]
    assert not group_of().is_subscribed_to("in")


def test_a_group_with_members_is_not_deleted() -> None:
    """An empty one is."""
    with pytest.raises(ApiError) as refused:
        group_of(M).check_deletion()
    assert refused.value.code is ErrorCode.NON_EMPTY_GROUP
    group_of().check_deletion()


def test_the_tombstones_of_a_group_with_members() -> None:
    """Assignments, targets, their epoch, members, the group and its topology."""
    group = group_of(M, replace(M, member_id="n"))
    group.target["m"] = owned().tasks()  # type: ignore[assignment]  # all kinds are reported

    assert [shown(each) for each in group.tombstones()] == [
        "gone 22 m",
        "gone 22 n",
        "gone 21 m",
        "gone 20",
        "gone 19 m",
        "gone 19 n",
        "gone 17",
        "gone 23",
    ]
