"""Writes come first, answers later (Kafka's ``CoordinatorRuntime``).

What changes a group is appended to its partition of ``__consumer_offsets`` before it happens in
memory, so a log that refuses leaves everything as it was. An answer waits until all that was
appended to that partition before it is replicated. That holds even for a heartbeat, which appends
nothing: what it tells might be lost with the leader. Whoever waits longer than
``offsets.commit.timeout.ms`` is told COORDINATOR_NOT_AVAILABLE; what was written may still come
through, and counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache

from broker.common.errors import ApiError
from broker.groups.append_errors import as_coordinator_error
from broker.groups.coordinator_log import CoordinatorLog
from broker.groups.offsets_topic import partition_for
from broker.groups.records.serde import RawRecord, Record, serialized
from protocol.codec import Unencodable
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

OnReplicated = Callable[[ErrorCode], None]

_GROUPS_KEPT = 10_000
_partition_for = lru_cache(_GROUPS_KEPT)(partition_for)


class CoordinatorRuntime:
    """The partitions of ``__consumer_offsets`` that a node leads, and who waits on them."""

    def __init__(
        self,
        timer: SystemTimer,
        actions: ActionQueue,
        partition_count: int,
        commit_timeout_ms: int,
    ) -> None:
        self._timer = timer
        self._actions = actions
        # The topic's own count, once there is a topic.
        self.partition_count = partition_count
        self._commit_timeout_ms = commit_timeout_ms
        self._loading: set[int] = set()
        self._partitions: dict[int, _Partition] = {}
        # Those whose last append is not replicated yet.
        # Invariant: nobody waits on any other partition.
        self._behind: set[int] = set()

    # --------------------------------------------------------------------------- leadership

    def partition_for(self, group_id: str) -> int:
        """The partition that a group's records are kept in."""
        return _partition_for(group_id, self.partition_count)

    def load(self, partition: int) -> None:
        """The groups of *partition* will be looked after here, as soon as they are known."""
        self._loading.add(partition)

    def lead(self, partition: int, log: CoordinatorLog) -> None:
        """The groups of *partition* are known, up to the end of its log."""
        self._loading.discard(partition)
        self._partitions[partition] = _Partition(log)
        if log.high_watermark < log.end_offset:
            self._behind.add(partition)

    def resign(self, partition: int) -> None:
        """Send those who wait to the new coordinator."""
        given_up = self._partitions.pop(partition, None)
        self._loading.discard(partition)
        self._behind.discard(partition)
        if given_up is not None:
            self._complete(given_up.take_all(), ErrorCode.NOT_COORDINATOR)

    def is_loading(self, group_id: str) -> bool:
        """Whether the group will be looked after here, but is not known yet."""
        return self.partition_for(group_id) in self._loading

    def check(self, group_id: str) -> None:
        """Raise `ApiError` unless the group is looked after here."""
        partition = self.partition_for(group_id)
        if partition in self._loading:
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        if partition not in self._partitions:
            raise ApiError(ErrorCode.NOT_COORDINATOR)

    def check_all(self) -> None:
        """Raise `ApiError` unless all groups that are looked after here are known."""
        if self._loading:
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

    # --------------------------------------------------------------------------- writing

    def append(self, group_id: str, records: Iterable[Record | RawRecord]) -> None:
        """Write records, all or none; raises `ApiError` if the log refuses."""
        self.check(group_id)
        index = self.partition_for(group_id)
        partition = self._partitions[index]
        try:
            raw = [serialized(record) for record in records]
        except Unencodable as error:
            # Kafka cannot write such a record either; nothing has changed.
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
        if not raw:
            return
        try:
            partition.log.append(raw)
        except ApiError as error:
            raise ApiError(as_coordinator_error(error.code), error.message) from error
        partition.end_offset = partition.log.end_offset
        if partition.waiters or partition.log.high_watermark < partition.end_offset:
            self._behind.add(index)

    def write(self, group_id: str, records: Iterable[Record], on_replicated: OnReplicated) -> None:
        """Append, and call back once it is replicated, or with an error."""
        try:
            self.append(group_id, records)
        except ApiError as error:
            on_replicated(error.code)
        else:
            self.when_replicated(group_id, on_replicated)

    # --------------------------------------------------------------------------- waiting

    def is_replicated(self, group_id: str) -> bool:
        """Whether nothing that was written about a group can be lost any more."""
        return not self._behind or self.partition_for(group_id) not in self._behind

    def when_replicated(self, group_id: str, on_replicated: OnReplicated) -> None:
        """Call back once all that was written so far is replicated, or with an error."""
        if self.is_replicated(group_id):
            on_replicated(ErrorCode.NONE)
            return
        waiter = _Waiter(on_replicated, self._commit_timeout_ms, self._actions)
        self._wait(group_id, waiter)
        self._timer.add(waiter)

    def once_replicated(self, group_id: str, action: Callable[[], None]) -> None:
        """Do *action* when all that was written so far is replicated, however long that takes."""
        if self.is_replicated(group_id):
            action()
        else:
            waiter = _Waiter(lambda error: None if error else action(), 0, self._actions)
            self._wait(group_id, waiter)

    def _wait(self, group_id: str, waiter: _Waiter) -> None:
        partition = self._partitions[self.partition_for(group_id)]
        partition.waiters.append((partition.end_offset, waiter))

    def on_high_watermark(self, partition: int) -> None:
        """Complete the operations that wait for offsets below the log's high watermark.

        Called when the high watermark has moved, but never during an append: the caller of `append`
        has not applied its records then.
        """
        led = self._partitions.get(partition)
        if led is None or partition not in self._behind:
            return
        offset = led.log.high_watermark
        if led.end_offset <= offset:
            self._behind.discard(partition)
        self._complete(led.take_up_to(offset), ErrorCode.NONE)

    def _complete(self, waiters: Iterable[_Waiter], error: ErrorCode) -> None:
        """Call all of them back, also if one raises, and run the actions that they queue."""
        for waiter in waiters:
            try:
                waiter.complete(error)
            except Exception as raised:
                self._timer.on_error(repr(waiter), raised)
        self._actions.try_complete_actions()


class _Waiter(TimerTask):
    """An operation that waits for replication; completed once, by the log or by the timer."""

    __slots__ = ("_actions", "_on_replicated")

    def __init__(self, on_replicated: OnReplicated, timeout_ms: int, actions: ActionQueue) -> None:
        super().__init__(timeout_ms)
        self._actions = actions
        self._on_replicated: OnReplicated | None = on_replicated

    def complete(self, error: ErrorCode) -> None:
        """Call back with *error*, unless that has happened."""
        self.cancel()
        on_replicated, self._on_replicated = self._on_replicated, None
        if on_replicated is not None:
            on_replicated(error)

    def run(self) -> None:
        """Complete it with an error because it has waited for too long."""
        try:
            self.complete(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        finally:
            self._actions.try_complete_actions()


class _Partition:
    """A partition's log, and the operations that wait, by the offset that they wait for."""

    __slots__ = ("end_offset", "log", "waiters")

    def __init__(self, log: CoordinatorLog) -> None:
        self.log = log
        self.end_offset = log.end_offset
        self.waiters: deque[tuple[int, _Waiter]] = deque()

    def take_up_to(self, offset: int) -> list[_Waiter]:
        taken = []
        while self.waiters and self.waiters[0][0] <= offset:
            taken.append(self.waiters.popleft()[1])
        return taken

    def take_all(self) -> list[_Waiter]:
        taken = [waiter for _, waiter in self.waiters]
        self.waiters.clear()
        return taken
