"""What a follower asks next (mirrors Kafka's FetchSessionHandlerTest, testBuildFetch)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.config import Config
from broker.replication.follower.fetch_requests import FetchRequests
from broker.replication.follower.fetch_state import FetchState
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchRequest, FetchResponse
from tests.broker.replication.world import KEY, OTHER, make_partition, records

SESSION = 77


@pytest.fixture
def states(tmp_path: Path) -> list[FetchState]:
    """Two empty partitions, followed in epoch 5."""
    return [FetchState(make_partition(tmp_path, key, leader=2), 5) for key in (KEY, OTHER)]


@pytest.fixture
def requests() -> FetchRequests:
    """Those of node 1."""
    return FetchRequests(Config(), 1)


def _answer(requests: FetchRequests, session_id: int = SESSION, error: int = 0) -> None:
    requests.answered(FetchResponse(error_code=error, session_id=session_id, responses=[]))


def _session(request: FetchRequest) -> tuple[int, int]:
    return request.session_id, request.session_epoch


def _asked(request: FetchRequest) -> list[tuple[int, int, int, int, int]]:
    """Partition, offset, last epoch, leader's epoch and log start of each partition named."""
    return [
        (
            p.partition,
            p.fetch_offset,
            p.last_fetched_epoch,
            p.current_leader_epoch,
            p.log_start_offset,
        )
        for topic in request.topics
        for p in topic.partitions
    ]


def _append(partition: Partition) -> None:
    end = partition.log.log_end_offset
    partition.append_as_follower(
        records(b"a", base_offset=end, partition_leader_epoch=4), 5, end + 1, end
    )


def test_the_first_request_names_everything(
    requests: FetchRequests, states: list[FetchState]
) -> None:
    """With who asks, in which life, and Kafka's limits for followers."""
    request = requests.next(states, 42)

    assert _session(request) == (0, 0)
    assert _asked(request) == [(0, 0, -1, 5, 0), (1, 0, -1, 5, 0)]
    assert {topic.topic_id for topic in request.topics} == {s.partition.topic_id for s in states}
    assert request.replica_state is not None
    assert (request.replica_state.replica_id, request.replica_state.replica_epoch) == (1, 42)
    assert (request.max_wait_ms, request.min_bytes, request.max_bytes) == (500, 1, 10485760)
    assert request.topics[0].partitions[0].partition_max_bytes == 1048576


def test_after_that_only_what_has_changed(
    requests: FetchRequests, states: list[FetchState]
) -> None:
    """Offset, epoch or log start; the others are asked for by being in the session."""
    requests.next(states, 42)
    _answer(requests)

    again = requests.next(states, 42)
    assert (_session(again), _asked(again)) == ((SESSION, 1), [])
    _answer(requests)

    _append(states[1].partition)
    changed = requests.next(states, 42)
    assert (_session(changed), _asked(changed)) == ((SESSION, 2), [(1, 1, 4, 5, 0)])


def test_another_leader_epoch_is_a_change(
    requests: FetchRequests, states: list[FetchState]
) -> None:
    """The leader compares it."""
    requests.next(states, 42)
    _answer(requests)

    request = requests.next([states[0], FetchState(states[1].partition, 6)], 42)

    assert _asked(request) == [(1, 0, -1, 6, 0)]


def test_what_is_not_wanted_is_forgotten_and_named_again_later(
    requests: FetchRequests, states: list[FetchState]
) -> None:
    """A partition in back-off leaves the session for a while."""
    requests.next(states, 42)
    _answer(requests)

    without = requests.next(states[:1], 42)
    assert [(f.topic_id, f.partitions) for f in without.forgotten_topics_data] == [
        (states[1].partition.topic_id, [1])
    ]
    _answer(requests)

    again = requests.next(states, 42)
    assert _asked(again) == [(1, 0, -1, 5, 0)]
    assert again.forgotten_topics_data == []


@pytest.mark.parametrize("how", ["error", "disconnect"])
def test_a_lost_session_is_begun_anew(
    requests: FetchRequests, states: list[FetchState], how: str
) -> None:
    """All is named again, and the old session is closed if the leader still has it."""
    requests.next(states, 42)
    _answer(requests)
    requests.next(states, 42)

    if how == "error":
        _answer(requests, 0, ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    else:
        requests.restart()
    request = requests.next(states, 42)

    assert _session(request) == (SESSION, 0)
    assert [partition for partition, *_ in _asked(request)] == [0, 1]


def test_a_leader_without_room_is_told_everything_every_time(
    requests: FetchRequests, states: list[FetchState]
) -> None:
    """Session id 0 in the answer: there is none."""
    requests.next(states, 42)
    _answer(requests, 0)

    request = requests.next(states, 42)

    assert _session(request) == (0, 0)
    assert len(_asked(request)) == 2
