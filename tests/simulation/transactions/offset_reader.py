"""A consumer that fetches the offset of a group while transactions commit it (``require_stable``).

    request sent --> offsets that are pending now --> response: UNSTABLE_OFFSET_COMMIT, or
                                                      an offset, and none of them is still pending

It is none of the producers, so its requests come between any two steps of a transaction, also when
a coordinator has just been loaded.
"""

from __future__ import annotations

from random import Random

import trio

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from protocol.errors import ErrorCode
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from tests.simulation.connections import Connections
from tests.simulation.coordinator_lookup import coordinator_of
from tests.simulation.rules import Rules
from tests.simulation.transactions.ledger import Ledger
from tests.simulation.transactions.marked_log import MarkedLog, Part
from tests.simulation.transactions.requests import OFFSET_FETCH_VERSION
from tests.simulation.violation import Violation


class OffsetReader:
    """Fetches the offset of *group* for a partition until ``is_over`` is set."""

    def __init__(
        self,
        group: str,
        key: TopicPartition,
        cluster: Cluster,
        connections: Connections,
        rules: Rules,
        ledger: Ledger,
        offsets: MarkedLog,
        seed: int,
    ) -> None:
        self.is_over = False
        self._group = group
        self._key = key
        self._cluster = cluster
        self._connections = connections
        self._rules = rules
        self._ledger = ledger
        self._offsets = offsets
        self._random = Random(f"offset reader {seed}")

    async def run(self) -> None:
        """Fetch again and again."""
        while not self.is_over:
            await trio.sleep(self._random.uniform(0.02, 0.3))
            await self._fetch()

    async def _fetch(self) -> None:
        topic = OffsetFetchRequestTopic(
            name=self._key.topic, partition_indexes=[self._key.partition]
        )
        request = OffsetFetchRequest(group_id=self._group, topics=[topic], require_stable=True)
        pending = self._pending()
        answer = await self._connections.exchange(
            f"read the offset of {self._group}",
            request,
            OFFSET_FETCH_VERSION,
            self._coordinator(),
            is_counted=False,
        )
        if answer is None or answer.response.error_code:
            return
        [found] = answer.response.topics[0].partitions
        error = ErrorCode(found.error_code)
        self._connections.log(f"{answer.text}: {error.name}, {found.committed_offset}")
        if error is ErrorCode.NONE:
            self._check(answer.text, found.metadata, pending)

    def _check(self, text: str, metadata: str | None, pending: set[Part]) -> None:
        still_pending = [
            part.transaction.name for part in pending & self._pending() if not self._has_end(part)
        ]
        if still_pending:
            raise Violation(f"{text}: an offset is returned, though {still_pending} are open")
        transaction = self._ledger.of_name(metadata or "")
        if transaction is not None and not transaction.is_commit_requested:
            raise Violation(f"{text}: the offset of {transaction.name}, which does not commit")

    def _pending(self) -> set[Part]:
        """The open transactions with an offset of the group that is replicated."""
        self._rules.check_all()
        self._offsets.catch_up()
        return set(self._offsets.open_parts())

    def _has_end(self, part: Part) -> bool:
        """Whether the leader has a marker that is not replicated."""
        return self._rules.has_marker(self._offsets.key, part.producer_id, part.first)

    def _coordinator(self) -> int:
        return coordinator_of(self._group, GROUP_METADATA_TOPIC, self._cluster.controller.image)
