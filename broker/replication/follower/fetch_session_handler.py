"""Builds the fetch requests to one leader: full at first, then only with what has changed.

The follower's side of a fetch session (KIP-227, Kafka's ``FetchSessionHandler``). A request names a
partition whose parameters differ from those that the leader has; the session implies the others. If
the leader does not know the session any more, the next request is full. If the leader has no room
for a session (id 0), every request is full.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from broker.config import Config
from broker.replication.fetch_session import INITIAL_EPOCH, NO_SESSION, next_epoch
from broker.replication.follower.partition_fetch_state import PartitionFetchState
from protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)

Name = tuple[UUID, int]
SessionPartition = tuple[
    int, int, int, int
]  # fetch offset, last fetched epoch, leader epoch, log start


def name_of(state: PartitionFetchState) -> Name:
    """The key of its partition in requests and responses."""
    return state.partition.topic_id, state.partition.key.partition


class FetchSessionHandler:
    """The session of one follower with one leader."""

    def __init__(self, config: Config, replica_id: int) -> None:
        self._config = config
        self._replica_id = replica_id
        self._session_id = NO_SESSION
        self._epoch = INITIAL_EPOCH
        self._session_partitions: dict[Name, SessionPartition] = {}

    def build_request(
        self, states: Iterable[PartitionFetchState], broker_epoch: int
    ) -> FetchRequest:
        """The request that fetches *states* and nothing else."""
        if self._epoch == INITIAL_EPOCH:
            self._session_partitions = {}
        changed: list[tuple[Name, SessionPartition]] = []
        wanted: set[Name] = set()
        for state in states:
            name, requested = name_of(state), _session_partition(state)
            wanted.add(name)
            if self._session_partitions.get(name) != requested:
                self._session_partitions[name] = requested
                changed.append((name, requested))
        forgotten = [name for name in self._session_partitions if name not in wanted]
        for name in forgotten:
            del self._session_partitions[name]
        config = self._config
        return FetchRequest(
            replica_state=ReplicaState(replica_id=self._replica_id, replica_epoch=broker_epoch),
            max_wait_ms=config.replica_fetch_wait_max_ms,
            min_bytes=config.replica_fetch_min_bytes,
            max_bytes=config.replica_fetch_response_max_bytes,
            session_id=self._session_id,
            session_epoch=self._epoch,
            topics=_topics(changed, config.replica_fetch_max_bytes),
            forgotten_topics_data=[
                ForgottenTopic(topic_id=topic_id, partitions=[partition])
                for topic_id, partition in forgotten
            ],
        )

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


def _session_partition(state: PartitionFetchState) -> SessionPartition:
    log = state.partition.log
    return (
        log.log_end_offset,
        log.leader_epoch_cache.latest,
        state.leader_epoch,
        log.log_start_offset,
    )


def _topics(changed: list[tuple[Name, SessionPartition]], max_bytes: int) -> list[FetchTopic]:
    partitions = [
        (
            topic_id,
            FetchPartition(
                partition=partition,
                current_leader_epoch=leader_epoch,
                fetch_offset=fetch_offset,
                last_fetched_epoch=last_fetched_epoch,
                log_start_offset=log_start_offset,
                partition_max_bytes=max_bytes,
            ),
        )
        for (topic_id, partition), (
            fetch_offset,
            last_fetched_epoch,
            leader_epoch,
            log_start_offset,
        ) in changed
    ]
    return [
        FetchTopic(topic_id=topic_id, partitions=[partition for _, partition in group])
        for topic_id, group in groupby(partitions, key=itemgetter(0))
    ]
