"""Fetches from one leader the partitions that it leads and this node follows.

    wait until a partition is due --> fetch: a long poll at the leader --> for each partition
          ^                                                                     |
          +--- append, update watermarks | truncate a diverging log | delay ----+

One request is in progress at a time; the fetch offsets of the next one acknowledge the appended
records. A fetch follows the response of the previous one without a task switch. The fetcher's task
connects, and does what else cannot be done at once: it waits until a partition is due, and lists
offsets of the leader. Kafka's ``ReplicaFetcherThread``.
"""

from __future__ import annotations

import logging
from math import inf
from typing import Any, Final

import trio

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.network.inter_broker.inter_broker_connection import InterBrokerConnection, Use
from broker.network.inter_broker.inter_broker_connections import InterBrokerConnections
from broker.network.transports.transport import Disconnected
from broker.replication.follower.fetch_session_handler import FetchSessionHandler
from broker.replication.follower.follower_node import FollowerNode
from broker.replication.follower.partition_fetch_state import PartitionFetchState
from broker.replication.follower.truncation import truncation_offset
from broker.replication.partition import Partition
from broker.steps.queue import Slices
from broker.steps.timed_event import TimedEvent
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.validation.append import AppendRefused
from protocol.codec import Malformed
from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchRequest, FetchResponse, PartitionData
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from protocol.record_batch.pieces import pieces

log = logging.getLogger("antechamber.replication")

# The partitions of a response after which other tasks run.
_PARTITIONS_AT_ONCE: Final = 16

_LATEST: Final = -1
_EARLIEST: Final = -2


class ReplicaFetcher:
    """Fetches from the node *source*."""

    def __init__(
        self, node: FollowerNode, source: int, connections: InterBrokerConnections
    ) -> None:
        self.source = source
        self._node = node
        self._connections = connections
        self._link = node.link_to(source)
        self._partition_states: dict[TopicPartition, PartitionFetchState] = {}
        # All of them if all are due; None if others may be due since it was made.
        self._all_due: list[PartitionFetchState] | None = None
        self._session = FetchSessionHandler(node.config, node.node_id)
        self._wake = TimedEvent(node.timer)
        self._connection: InterBrokerConnection | None = None
        # Set when no response is awaited, and the task has to continue.
        self._returned = trio.Event()
        self._failure: Exception | None = None  # why the connection has ended
        self._out_of_range: list[PartitionFetchState] = []

    def add_partition(self, partition: Partition) -> None:
        """Fetch a partition from its log end, in its present leader epoch.

        This interrupts a long poll in progress. Kafka's fetcher finishes it first, so that there
        the first produce to a new topic waits up to ``replica.fetch.wait.max.ms`` for its
        followers.
        """
        self._partition_states[partition.key] = PartitionFetchState(
            partition, partition.leader_epoch
        )
        self._all_due = None
        self._wake.set()
        if self._connection is not None:
            self._disconnect()
            self._failure = _Interrupted()
            self._returned.set()

    def remove_partition(self, key: TopicPartition) -> None:
        """Stop fetching a partition; a response in progress does not affect it."""
        self._partition_states.pop(key, None)
        self._all_due = None

    async def run(self) -> None:
        """Fetch until cancelled."""
        try:
            while True:
                await self._node.wait_until_resumed()
                due, pause_ms = self._due()
                if due:
                    await self._do_work(due)
                else:
                    if not self._partition_states:
                        self._disconnect()
                    await self._wake.wait(pause_ms)
        finally:
            self._disconnect()

    def _due(self) -> tuple[list[PartitionFetchState], float]:
        """The partitions to fetch now, and the time in ms until another one becomes due.

        The list is the same object as long as it has the same partitions and none is delayed.
        Throttled partitions are not due while the rate is exceeded.
        """
        is_limited = self._node.follower_quota.is_exceeded
        if self._all_due is not None and not is_limited:
            return self._all_due, inf
        now_ms, next_ms = self._node.now_ms(), inf
        due: list[PartitionFetchState] = []
        for state in self._partition_states.values():
            if is_limited and not state.is_replica_in_sync and self._is_throttled(state):
                next_ms = min(next_ms, now_ms + self._node.config.replica_fetch_backoff_ms)
            elif state.due_ms <= now_ms:
                due.append(state)
            elif state.due_ms < next_ms:
                next_ms = state.due_ms
        if next_ms == inf:
            self._all_due = due
        return due, next_ms - now_ms

    def _is_throttled(self, state: PartitionFetchState) -> bool:
        replicas = state.partition.log.config.follower_replication_throttled_replicas
        return self._node.follower_quota.applies_to(replicas, state.partition.key.partition)

    async def _do_work(self, due: list[PartitionFetchState]) -> None:
        try:
            await self._process_fetch_requests(due)
        except _Interrupted:
            return
        except (Disconnected, Malformed, OSError) as error:
            log.info("fetching from node %d: %s", self.source, error)
        except Exception as unexpected:
            self._node.timer.on_error(f"fetching from node {self.source}", unexpected)
        else:
            return
        self._disconnect()
        self._delay_partitions(self._due()[0])

    async def _process_fetch_requests(self, due: list[PartitionFetchState]) -> None:
        """Fetch until the next step has to wait, then list the offsets that are needed."""
        connection = self._connection
        if connection is None:
            connection = self._connection = await self._connected()
            due, _ = self._due()
            if not due:
                return
        self._out_of_range = []
        await self._send(connection, self._fetch(due), self._process_fetch_response)
        for state in self._out_of_range:
            await self._fetch_offset_and_truncate(connection, state)

    async def _send(self, connection: InterBrokerConnection, request: Any, use: Use) -> None:
        """Send a request, and wait until no response is awaited. Raises why the connection ends."""
        self._returned, self._failure = trio.Event(), None
        connection.send_request(request, use)
        await self._returned.wait()
        self._check_connected()

    def _check_connected(self) -> None:
        """Raise why the connection has ended, if it has."""
        if self._failure is not None:
            raise self._failure

    def _fetch(self, due: list[PartitionFetchState]) -> FetchRequest:
        own = self._node.alive(self._node.node_id)
        return self._session.build_request(due, -1 if own is None else own.epoch)

    async def _connected(self) -> InterBrokerConnection:
        leader = self._node.alive(self.source)
        if leader is None:
            raise Disconnected(f"node {self.source} is not registered or fenced")
        client_id = f"node-{self._node.node_id}"
        return await self._connections.open(
            self._link,
            leader.host,
            leader.port,
            client_id,
            self._connection_ended,
            lambda: self._node.paused,
        )

    def resumed(self) -> None:
        """Use the response that has arrived during a pause of the node."""
        if self._connection is not None:
            self._connection.resume()

    def _connection_ended(self, reason: Exception) -> None:
        self._disconnect()
        self._failure = reason
        self._returned.set()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        self._session.restart()
        if connection is not None:
            connection.close()

    def _delay_partitions(self, states: list[PartitionFetchState]) -> None:
        due_ms = self._node.now_ms() + self._node.config.replica_fetch_backoff_ms
        for state in states:
            state.due_ms = due_ms
        self._all_due = None

    # --------------------------------------------------------------------------- responses

    def _process_fetch_response(self, response: FetchResponse) -> Slices[None]:
        """Use a response, and fetch again."""
        self._session.handle_response(response)
        if not response.error_code:
            yield from self._process_partitions(response)
        self._fetch_next()

    def _fetch_next(self) -> None:
        """Send the next fetch now, unless something has to be awaited before it."""
        connection = self._connection
        if connection is None:  # interrupted
            return
        if not self._out_of_range and not self._node.paused:
            due, _ = self._due()
            if due:
                connection.send_request(self._fetch(due), self._process_fetch_response)
                return
        self._returned.set()

    def _process_partitions(self, response: FetchResponse) -> Slices[None]:
        partitions = 0
        for topic in response.responses:
            for data in topic.partitions:
                state = self._session.requested(topic.topic_id, data.partition_index)
                if state is None or not self._is_current(state):
                    continue
                if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
                    self._out_of_range.append(state)
                elif data.error_code:
                    self._handle_partition_error(state, ErrorCode(data.error_code))
                else:
                    yield from self._process_in_pieces(state, data)
                partitions += 1
                if not partitions % _PARTITIONS_AT_ONCE:
                    yield None

    def _process_in_pieces(self, state: PartitionFetchState, data: PartitionData) -> Slices[None]:
        """Use the data of a partition, while it is fetched with this state."""
        records = memoryview(data.records or b"")
        for batches in pieces(records):
            if not self._try_process_partition_data(state, data, batches):
                return
            if len(batches) < len(records):
                yield None
                if not self._is_current(state):
                    return

    def _try_process_partition_data(
        self, state: PartitionFetchState, data: PartitionData, batches: memoryview
    ) -> bool:
        """Use *batches*, records of *data*; False if the rest of them must not be used.

        An exception does not affect other partitions. The partition is fetched again after the
        back-off. Kafka stops fetching it until its leader changes
        (``AbstractFetcherThread.markPartitionFailed``).
        """
        try:
            return self._process_partition_data(state, data, batches)
        except (AppendRefused, ApiError) as refusal:
            self._handle_refusal(state, refusal)
        except Exception as error:
            self._node.timer.on_error(f"replication of {state.partition.key}", error)
            self._delay_partitions([state])
        return False

    def _is_current(self, state: PartitionFetchState) -> bool:
        """Whether the partition is still fetched with this state: the node may lead it now."""
        return self._partition_states.get(state.partition.key) is state

    def _process_partition_data(
        self, state: PartitionFetchState, data: PartitionData, batches: memoryview
    ) -> bool:
        partition = state.partition
        if data.diverging_epoch is not None:
            epoch, end_offset = data.diverging_epoch.epoch, data.diverging_epoch.end_offset
            offset = truncation_offset(partition.log, epoch, end_offset)
            log.info(
                "%s: truncated to %d, where it diverges from node %d",
                partition.key,
                offset,
                self.source,
            )
            partition.log.truncate_to(offset)
            return False
        moved = partition.append_as_follower(
            batches, state.leader_epoch, data.high_watermark, data.log_start_offset
        )
        state.high_watermark = data.high_watermark
        if self._is_throttled(state):
            self._node.follower_quota.record(len(batches))
        if moved:
            self._node.replicated(partition.key, partition.log.high_watermark)
        return True

    def _handle_refusal(
        self, state: PartitionFetchState, refusal: AppendRefused | ApiError
    ) -> None:
        """Delay a partition whose log refuses a change: invalid records, or a failed disk."""
        log.error("%s from node %d: %s", state.partition.key, self.source, refusal)
        self._delay_partitions([state])

    def _handle_partition_error(self, state: PartitionFetchState, error: ErrorCode) -> None:
        """Delay a refused partition; new metadata follows if its leader has changed."""
        log.info("%s: node %d responds with %s", state.partition.key, self.source, error.name)
        if error is ErrorCode.FENCED_LEADER_EPOCH:
            self.remove_partition(state.partition.key)
        else:
            self._delay_partitions([state])

    async def _fetch_offset_and_truncate(
        self, connection: InterBrokerConnection, state: PartitionFetchState
    ) -> None:
        """Continue where the leader has records (``fetchOffsetAndTruncate``).

        If the leader's log ends before this log, an unclean election has taken place, and this log
        is truncated. If it starts after the end of this log, the leader has deleted the next
        records, and this log restarts at the leader's start.
        """
        try:
            latest = await self._fetch_offset_from_leader(connection, state, _LATEST)
            if not self._is_current(state):
                return
            earliest = None
            if latest >= state.partition.log.log_end_offset:
                earliest = await self._fetch_offset_from_leader(connection, state, _EARLIEST)
        except ApiError as error:
            self._handle_partition_error(state, error.code)
            return
        if self._is_current(state):
            try:
                _continue_within(state.partition.log, latest, earliest)
            except ApiError as refusal:
                self._handle_refusal(state, refusal)

    async def _fetch_offset_from_leader(
        self, connection: InterBrokerConnection, state: PartitionFetchState, timestamp: int
    ) -> int:
        key = state.partition.key
        requested = ListOffsetsPartition(
            partition_index=key.partition,
            current_leader_epoch=state.leader_epoch,
            timestamp=timestamp,
        )
        request = ListOffsetsRequest(
            replica_id=self._node.node_id,
            topics=[ListOffsetsTopic(name=key.topic, partitions=[requested])],
        )

        responses: list[ListOffsetsResponse] = []

        def use(response: ListOffsetsResponse) -> Slices[None]:
            responses.append(response)
            self._returned.set()
            yield from ()

        await self._send(connection, request, use)
        [response] = responses
        [topic] = response.topics
        [data] = topic.partitions
        if data.error_code:
            raise ApiError(ErrorCode(data.error_code))
        return data.offset


def _continue_within(log: UnifiedLog, latest: int, earliest: int | None) -> None:
    """Make the log end where the leader has records, from *earliest* to *latest*.

    The former is None if the log ends after *latest*. Raises `ApiError`.
    """
    if earliest is None:
        log.truncate_to(latest)
    elif earliest > log.log_end_offset:
        log.truncate_fully_and_start_at(earliest)
    else:
        log.maybe_increment_log_start_offset(min(earliest, log.high_watermark))


class _Interrupted(Exception):  # noqa: N818 - it is no error
    """A partition was added, which is to be fetched now."""
