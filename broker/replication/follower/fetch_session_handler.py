"""Builds the fetch requests to one leader: full at first, then only with what has changed.

The follower's side of a fetch session (KIP-227, Kafka's ``FetchSessionHandler``). A request names a
partition whose parameters differ from those that the leader has; the session implies the others. If
the leader does not know the session any more, the next request is full. If the leader has no room
for a session (id 0), every request is full.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.replication.fetch_session import INITIAL_EPOCH, NO_SESSION, next_epoch
from broker.replication.follower.partition_fetch_state import PartitionFetchState
from broker.storage.log.log_listener import LogListener
from protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)

Name = tuple[int, int]  # the topic ID as a number, since the hash of a `UUID` is slow; the index
# The fetch offset, the last fetched epoch, the leader epoch and the log start offset.
SessionPartition = tuple[int, int, int, int]


class FetchSessionHandler(LogListener):
    """The session of one follower with one leader."""

    def __init__(self, config: Config, replica_id: int) -> None:
        super().__init__()
        self._config = config
        # The argument of the last request, and its partitions by key.
        self._states: Sequence[PartitionFetchState] | None = None
        self._by_key: dict[TopicPartition, PartitionFetchState] = {}
        # Those whose logs have changed since.
        self._changed: dict[PartitionFetchState, None] = {}
        self._replica_id = replica_id
        self._session_id = NO_SESSION
        self._epoch = INITIAL_EPOCH
        self._session_partitions: dict[PartitionFetchState, SessionPartition] = {}
        self._by_name: dict[Name, PartitionFetchState] = {}

    def build_request(
        self, states: Sequence[PartitionFetchState], broker_epoch: int
    ) -> FetchRequest:
        """The request that fetches *states* and nothing else.

        If these are the same list as in the last request, only those whose logs have changed since
        are visited.
        """
        if self._epoch == INITIAL_EPOCH:
            self._session_partitions, self._by_name, self._states = {}, {}, None
        session = self._session_partitions
        changed: list[PartitionFetchState] = []
        for state in self._visited(states):
            state.partition.log.listen(self)
            requested = _session_partition(state)
            if session.get(state) != requested:
                session[state] = requested
                changed.append(state)
        forgotten = self._forget_all_but(states) if len(session) > len(states) else []
        self._states = states
        for state in changed:
            self._by_name[_name_of(state)] = state
        config = self._config
        return FetchRequest(
            replica_state=ReplicaState(replica_id=self._replica_id, replica_epoch=broker_epoch),
            max_wait_ms=config.replica_fetch_wait_max_ms,
            min_bytes=config.replica_fetch_min_bytes,
            max_bytes=config.replica_fetch_response_max_bytes,
            session_id=self._session_id,
            session_epoch=self._epoch,
            topics=self._topics(changed),
            forgotten_topics_data=[
                ForgottenTopic(
                    topic_id=state.partition.topic_id, partitions=[state.partition.key.partition]
                )
                for state in forgotten
            ],
        )

    def _visited(self, states: Sequence[PartitionFetchState]) -> Sequence[PartitionFetchState]:
        """Those of *states* that may differ from what the leader knows."""
        changed, self._changed = self._changed, {}
        if states is self._states:
            return list(changed)
        self._by_key = {state.partition.key: state for state in states}
        return states

    def log_changed(self, key: TopicPartition) -> None:
        """See `LogListener`."""
        state = self._by_key.get(key)
        if state is not None:
            self._changed[state] = None

    def requested(self, topic_id: UUID, partition: int) -> PartitionFetchState | None:
        """The state with which the last request fetched a partition; None if it did not."""
        return self._by_name.get((topic_id.int, partition))

    def handle_response(self, response: FetchResponse) -> None:
        """Continue the session that the leader names, or restart it after an error."""
        if response.error_code:
            self.restart()
        elif response.session_id == NO_SESSION:
            self._session_id, self._epoch = NO_SESSION, INITIAL_EPOCH
        else:
            self._session_id = response.session_id
            self._epoch = next_epoch(self._epoch)

    def restart(self) -> None:
        """Begin a new session with the next request, which closes the old one."""
        self._epoch = INITIAL_EPOCH

    def _forget_all_but(self, states: Collection[PartitionFetchState]) -> list[PartitionFetchState]:
        """Remove the other partitions from the session; returns those that the leader must remove.

        A partition that has another state now, since its leader epoch is another one, remains.
        """
        kept = set(states)
        removed = [state for state in self._session_partitions if state not in kept]
        for state in removed:
            del self._session_partitions[state]
            del self._by_name[_name_of(state)]
        names = set(map(_name_of, states))
        return [state for state in removed if _name_of(state) not in names]

    def _topics(self, states: list[PartitionFetchState]) -> list[FetchTopic]:
        max_bytes = self._config.replica_fetch_max_bytes
        return [
            FetchTopic(
                topic_id=topic_id,
                partitions=[
                    _requested(state, self._session_partitions[state], max_bytes) for state in group
                ],
            )
            for topic_id, group in groupby(states, key=_topic_id)
        ]


def _name_of(state: PartitionFetchState) -> Name:
    return state.partition.topic_id.int, state.partition.key.partition


def _session_partition(state: PartitionFetchState) -> SessionPartition:
    log = state.partition.log
    return (
        log.log_end_offset,
        log.leader_epoch_cache.latest,
        state.leader_epoch,
        log.log_start_offset,
    )


def _topic_id(state: PartitionFetchState) -> UUID:
    return state.partition.topic_id


def _requested(
    state: PartitionFetchState, requested: SessionPartition, max_bytes: int
) -> FetchPartition:
    fetch_offset, last_fetched_epoch, leader_epoch, log_start_offset = requested
    return FetchPartition(
        partition=state.partition.key.partition,
        current_leader_epoch=leader_epoch,
        fetch_offset=fetch_offset,
        last_fetched_epoch=last_fetched_epoch,
        log_start_offset=log_start_offset,
        partition_max_bytes=max_bytes,
    )
