"""Offset metadata manager."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from broker.groups.coordinator import GroupCoordinator
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.groups.offset_store import OffsetAndMetadata
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from tests.broker.groups.slow_store import SlowStore
from tests.broker.groups.virtual_world import EPOCH_MS, VirtualWorld

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.fixture
def coordinator() -> GroupCoordinator:
    return VirtualWorld().coordinator


def commit(coordinator: GroupCoordinator, *commits: Commit, **asked: object) -> list[ErrorCode]:
    request = OffsetCommit(group_id="g", commits=commits)
    for name, value in asked.items():
        setattr(request, name, value)
    answers: list[Sequence[ErrorCode]] = []
    coordinator.offsets.commit(request, answers.append)
    return list(answers.pop())


def test_what_was_committed_can_be_fetched(coordinator: GroupCoordinator) -> None:
    """With epoch, metadata and the time of the commit; no metadata is empty metadata."""
    errors = commit(coordinator, Commit(T0, 5, 2, "here"), Commit(T1, 7))

    assert errors == [ErrorCode.NONE] * 2
    assert coordinator.offsets.fetch("g") == {
        T0: OffsetAndMetadata(5, 2, "here", EPOCH_MS),
        T1: OffsetAndMetadata(7, -1, "", EPOCH_MS),
    }


def test_an_old_client_may_ask_for_a_retention_of_its_own(coordinator: GroupCoordinator) -> None:
    """v2 to v4: counted from the commit."""
    commit(coordinator, Commit(T0, 5), retention_ms=1000)

    assert coordinator.offsets.fetch("g")[T0].expire_timestamp_ms == EPOCH_MS + 1000


def test_unknown_groups_have_committed_nothing(coordinator: GroupCoordinator) -> None:
    """That is no error."""
    assert coordinator.offsets.fetch("g") == {}


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ("x" * 4096, ErrorCode.NONE),
        ("x" * 4097, ErrorCode.OFFSET_METADATA_TOO_LARGE),
        ("é" * 4096, ErrorCode.NONE),
        ("\N{GRINNING FACE}" * 2048, ErrorCode.NONE),
        ("\N{GRINNING FACE}" * 2049, ErrorCode.OFFSET_METADATA_TOO_LARGE),
    ],
)
def test_metadata_is_measured_in_utf16(
    coordinator: GroupCoordinator, metadata: str, error: ErrorCode
) -> None:
    """``offset.metadata.max.bytes`` counts the characters of a Java string, not bytes."""
    assert commit(coordinator, Commit(T0, 1, -1, metadata)) == [error]


def test_too_much_metadata_spoils_only_its_own_partition(coordinator: GroupCoordinator) -> None:
    """The rest of the request is committed."""
    errors = commit(coordinator, Commit(T0, 1, -1, "x" * 5000), Commit(T1, 2))

    assert errors == [ErrorCode.OFFSET_METADATA_TOO_LARGE, ErrorCode.NONE]
    assert list(coordinator.offsets.fetch("g")) == [T1]


@pytest.mark.parametrize(
    ("knows", "error"),
    [(True, ErrorCode.GROUP_ID_NOT_FOUND), (False, ErrorCode.ILLEGAL_GENERATION)],
)
def test_a_generation_of_no_group_is_refused(
    coordinator: GroupCoordinator, knows: bool, error: ErrorCode
) -> None:
    """Clients before v9 do not know the error that says so."""
    errors = commit(
        coordinator,
        Commit(T0, 1),
        Commit(T1, 1),
        generation_id=1,
        member_id="m",
        knows_group_id_not_found=knows,
    )

    assert errors == [error, error]
    assert coordinator.groups == {}


def test_a_generation_of_an_empty_group_is_refused(coordinator: GroupCoordinator) -> None:
    """Its members are gone."""
    commit(coordinator, Commit(T0, 1))

    assert commit(coordinator, Commit(T0, 2), generation_id=0) == [ErrorCode.UNKNOWN_MEMBER_ID]


def test_a_commit_is_answered_when_it_is_stored() -> None:
    """And told that the coordinator is not there if it cannot be."""
    store = SlowStore()
    coordinator = VirtualWorld(store=store).coordinator
    answers: list[Sequence[ErrorCode]] = []
    store.slow = True
    request = OffsetCommit(group_id="g", commits=[Commit(T0, 1), Commit(T1, 1)])
    coordinator.offsets.commit(request, answers.append)
    assert answers == []

    store.finish(ErrorCode.REQUEST_TIMED_OUT)

    assert answers == [[ErrorCode.COORDINATOR_NOT_AVAILABLE] * 2]


def test_offsets_of_deleted_topics_are_forgotten(coordinator: GroupCoordinator) -> None:
    """A new topic of that name begins at its beginning."""
    commit(coordinator, Commit(T0, 1))
    coordinator.offsets.on_topics_deleted(["t"])

    assert coordinator.offsets.fetch("g") == {}
