"""A fetch session with the two partitions of a desk, of a consumer or a follower."""

from __future__ import annotations

from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_context import FetchContext, new_fetch_context
from broker.replication.fetch_data import FetchParams, FetchPartition, LogReadResult
from broker.replication.fetch_session import FetchSession, FetchSessionCache
from purgatories.operations.delayed_fetch import DelayedFetch
from tests.broker.replication.desk import Desk
from tests.broker.replication.world import KEY, OTHER, waiting
from tests.broker.storage.logs import StillClock


def named(key: TopicPartition, offset: int = 0) -> FetchPartition:
    """A partition as a request names it, of which the client's log begins at 0."""
    return FetchPartition(key, UUID(int=0), offset, 1 << 20, log_start_offset=0)


class Session:
    """Begins with a full fetch from the log ends; each fetch has its result at once by default.

    ``read`` are the partitions that the last fetch has read, ``changed`` those in its response.
    Without *may_stay_idle* all partitions are active.
    """

    def __init__(self, desk: Desk, params: FetchParams, *, may_stay_idle: bool = True) -> None:
        self.desk = desk
        self.params = params
        self.revision = 0
        self.cache = FetchSessionCache(2, StillClock(0))
        self.read: list[TopicPartition] = []
        self.changed: list[TopicPartition] = []
        self.results: dict[TopicPartition, LogReadResult] = {}
        self.responses = 0
        self._may_stay_idle = may_stay_idle
        self._epoch = 0
        self._id = 0
        self.fetch(*(named(key, self._end(key)) for key in (KEY, OTHER)))

    @property
    def session(self) -> FetchSession:
        """The session in the cache."""
        found = self.cache.get(self._id)
        assert found is not None
        return found

    def fetch(
        self, *partitions: FetchPartition, max_wait_ms: int = 0
    ) -> DelayedFetch[TopicPartition] | None:
        """The next fetch, which names *partitions*; returns the operation if it waits."""
        params = waiting(self.params, max_wait_ms)
        session = self.cache.get(self._id)
        if session is not None and session.idle is not None:
            session.idle.prepare(self.revision, params, may_stay_idle=self._may_stay_idle)
        context = new_fetch_context(
            self.cache,
            self._id,
            self._epoch,
            list(partitions),
            [],
            uses_topic_ids=False,
            privileged=params.from_follower,
        )
        self._epoch += 1
        wanted = list(context.wanted)

        def respond(results: list[LogReadResult]) -> None:
            self._respond(context, params, list(zip(wanted, results, strict=True)))

        return self.desk.manager.fetch_messages(params, wanted, respond, context.idle)

    def _respond(
        self,
        context: FetchContext,
        params: FetchParams,
        results: list[tuple[FetchPartition, LogReadResult]],
    ) -> None:
        self._id, changed = context.update_and_generate_response(results)
        if self._may_stay_idle and context.session is not None:
            context.session.make_idle(self.desk.partitions, self.revision, params, results)
        self.responses += 1
        self.read = [requested.key for requested, _ in results]
        self.changed = [requested.key for requested, _ in changed]
        self.results = {requested.key: result for requested, result in changed}

    def _end(self, key: TopicPartition) -> int:
        partition = self.desk.partitions[key]
        if self.params.from_follower:
            return partition.log.log_end_offset
        return partition.log.high_watermark
