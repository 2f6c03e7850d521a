"""The requests of a follower (mirrors Kafka's FetchSessionHandlerTest, testBuildFetch)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.config import Config
from broker.replication.follower.fetch_session_handler import FetchSessionHandler
from broker.replication.follower.partition_fetch_state import PartitionFetchState
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchRequest, FetchResponse
from tests.broker.replication.world import KEY, OTHER, make_partition, records

SESSION = 77


@pytest.fixture
def states(tmp_path: Path) -> list[PartitionFetchState]:
    """Two empty partitions, followed in epoch 5."""
    return [PartitionFetchState(make_partition(tmp_path, key, leader=2), 5) for key in (KEY, OTHER)]


@pytest.fixture
def handler() -> FetchSessionHandler:
    """The session of node 1."""
    return FetchSessionHandler(Config(), 1)


def _respond(handler: FetchSessionHandler, session_id: int = SESSION, error: int = 0) -> None:
    handler.handle_response(FetchResponse(error_code=error, session_id=session_id, responses=[]))


def _session(request: FetchRequest) -> tuple[int, int]:
    return request.session_id, request.session_epoch


def _named(request: FetchRequest) -> list[tuple[int, int, int, int, int]]:
    """Partition, offset, last epoch, leader epoch and log start of each named partition."""
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


def test_the_first_request_names_all_partitions(
    handler: FetchSessionHandler, states: list[PartitionFetchState]
) -> None:
    """With replica id and epoch, and the limits of the configuration."""
    request = handler.build_request(states, 42)

    assert _session(request) == (0, 0)
    assert _named(request) == [(0, 0, -1, 5, 0), (1, 0, -1, 5, 0)]
    assert {topic.topic_id for topic in request.topics} == {s.partition.topic_id for s in states}
    assert request.replica_state is not None
    assert (request.replica_state.replica_id, request.replica_state.replica_epoch) == (1, 42)
    assert (request.max_wait_ms, request.min_bytes, request.max_bytes) == (500, 1, 10485760)
    assert request.topics[0].partitions[0].partition_max_bytes == 1048576


def test_later_requests_name_only_changed_partitions(
    handler: FetchSessionHandler, states: list[PartitionFetchState]
) -> None:
    """By offset, epoch or log start; the session implies the others."""
    handler.build_request(states, 42)
    _respond(handler)

    again = handler.build_request(states, 42)
    assert (_session(again), _named(again)) == ((SESSION, 1), [])
    _respond(handler)

    _append(states[1].partition)
    changed = handler.build_request(states, 42)
    assert (_session(changed), _named(changed)) == ((SESSION, 2), [(1, 1, 4, 5, 0)])


def test_another_leader_epoch_is_a_change(
    handler: FetchSessionHandler, states: list[PartitionFetchState]
) -> None:
    """The leader compares it."""
    handler.build_request(states, 42)
    _respond(handler)

    request = handler.build_request([states[0], PartitionFetchState(states[1].partition, 6)], 42)

    assert _named(request) == [(1, 0, -1, 6, 0)]


def test_a_delayed_partition_is_forgotten_and_named_again(
    handler: FetchSessionHandler, states: list[PartitionFetchState]
) -> None:
    """A partition in back-off leaves the session."""
    handler.build_request(states, 42)
    _respond(handler)

    without = handler.build_request(states[:1], 42)
    assert [(f.topic_id, f.partitions) for f in without.forgotten_topics_data] == [
        (states[1].partition.topic_id, [1])
    ]
    _respond(handler)

    again = handler.build_request(states, 42)
    assert _named(again) == [(1, 0, -1, 5, 0)]
    assert again.forgotten_topics_data == []


@pytest.mark.parametrize("how", ["error", "disconnect"])
def test_a_lost_session_is_restarted(
    handler: FetchSessionHandler, states: list[PartitionFetchState], how: str
) -> None:
    """The request names all partitions, and closes the old session if the leader still has it."""
    handler.build_request(states, 42)
    _respond(handler)
    handler.build_request(states, 42)

    if how == "error":
        _respond(handler, 0, ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    else:
        handler.restart()
    request = handler.build_request(states, 42)

    assert _session(request) == (SESSION, 0)
    assert [partition for partition, *_ in _named(request)] == [0, 1]


def test_without_a_session_every_request_is_full(
    handler: FetchSessionHandler, states: list[PartitionFetchState]
) -> None:
    """The leader responds with session id 0."""
    handler.build_request(states, 42)
    _respond(handler, 0)

    request = handler.build_request(states, 42)

    assert _session(request) == (0, 0)
    assert len(_named(request)) == 2
