"""A transactional producer, which behaves as Kafka's clients do.

    init --> [ add partitions --> produce --> commit an offset --> end ] --> next transaction
      ^                 `-- refused: abort, or begin a new session ------'
      `-- fenced, unknown outcome, or the producer has crashed

Requests are repeated after errors that pass and after lost connections. Several producers may have
the same transactional id; each one fences the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

import trio

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.record_batch.header import TRANSACTIONAL_BIT
from tests.batches import batch
from tests.client import EPOCH_MS
from tests.simulation.connections import Connections
from tests.simulation.history import History
from tests.simulation.rules import Rules
from tests.simulation.transactions.ledger import Fence, Identity, Ledger, Transaction
from tests.simulation.transactions.requests import Requests, Result
from tests.simulation.transactions.state_log import StateLog
from tests.simulation.violation import Violation

RETRY_MS = 40

# A slow transaction may time out, also in a healed cluster.
LAST_ATTEMPTS = 5

# After these errors a request is repeated.
RETRIABLE = frozenset(
    {
        None,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,  # of a node that has just started
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.UNSTABLE_OFFSET_COMMIT,
    }
)
# After these errors a request to end the transaction may have been executed, or may be later.
OPEN = RETRIABLE - {ErrorCode.CONCURRENT_TRANSACTIONS}
# These end the transaction or the session.
FATAL = frozenset(
    {
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.PRODUCER_FENCED,
    }
)


@dataclass(frozen=True)
class ProducerPlan:
    """How a producer behaves; ``group`` is the group whose input it consumes, if any.

    It rests for up to ``rest_max_s`` between two transactions, and writes to the ``temporary``
    topics as well. ``may_lose_state``: its records are deleted, perhaps with its state.
    """

    name: str
    transactional_id: str
    is_new: bool
    group: str | None
    timeout_ms: int
    rest_max_s: float = 0.2
    temporary: tuple[str, ...] = ()
    may_lose_state: bool = False


class TransactionalProducer:
    """Runs transactions until ``is_over`` is set."""

    def __init__(
        self,
        plan: ProducerPlan,
        cluster: Cluster,
        connections: Connections,
        rules: Rules,
        history: History,
        ledger: Ledger,
        state_log: StateLog,
        partitions: list[TopicPartition],
        seed: int,
    ) -> None:
        self.is_over = False
        self._state_log = state_log
        self._plan = plan
        self._requests = Requests(cluster, connections, plan.transactional_id, is_new=plan.is_new)
        self._rules = rules
        self._history = history
        self._ledger = ledger
        self._partitions = partitions
        self._random = Random(f"transactional producer {seed} {plan.name}")
        self._limits = Random(f"limits {seed} {plan.name}")
        self._cluster = cluster
        # None: unknown, to be fetched.
        self._position: int | None = None
        self._sequences: dict[TopicPartition, int] = {}

    async def run(self) -> None:
        """Begin one session after the other."""
        identity: Identity | None = None
        while not self.is_over:
            await self._pause(0.02, 0.4)
            # A producer that continues may pass its identity (KIP-360); a new one has none.
            expected = identity if self._random.random() < 0.5 else None
            identity = await self._init(expected)
            while identity is not None and not self.is_over:
                await self._pause(0, self._plan.rest_max_s)
                before, identity = identity, await self._transaction(identity)
                if identity is None and self._random.random() < 0.5:
                    identity = before
                    break

    async def commit_last(self) -> None:
        """Commit one more transaction in a healed cluster; raises `Violation`."""
        for _ in range(LAST_ATTEMPTS):
            if await self._commit_one():
                return
        raise Violation(f"a healed cluster does not commit for {self._plan.transactional_id}")

    async def check_position(self, expected: int) -> None:
        """Raise `Violation` unless the group, if any, has committed that position."""
        self._position = None
        await self._know_position()
        if self._plan.group is not None and self._position != expected:
            raise Violation(
                f"{self._plan.group} has committed {self._position}, but its transactions have "
                f"consumed up to {expected}"
            )

    async def _commit_one(self) -> bool:
        identity = await self._init(None)
        if identity is None or not await self._know_position():
            return False
        transaction = self._ledger.begin(self._plan.transactional_id, identity)
        if not await self._fill(transaction):
            return False
        await self._end(transaction, commit=True)
        return transaction.response is True

    # -------------------------------------------------------------------------------- sessions

    async def _init(self, expected: Identity | None) -> Identity | None:
        result = await self._repeat(lambda: self._requests.init(self._plan.timeout_ms, expected))
        if result.error is not ErrorCode.NONE:
            return None
        identity = self._identity(result.response)
        ends = {key: log.end for key, log in self._rules.committed.items()}
        fence = Fence(self._cluster.clock.now_ms(), identity, ends)
        self._ledger.initialized(self._plan.transactional_id, fence)
        self._sequences = {}
        self._position = None
        return identity

    def _identity(self, response: Any) -> Identity:
        """The identity in a response of InitProducerId or EndTxn."""
        return self._state_log.identity(
            self._plan.transactional_id, response.producer_id, response.producer_epoch
        )

    async def _transaction(self, identity: Identity) -> Identity | None:
        """Run one transaction; returns the identity for the next, None if the session has ended."""
        if not await self._know_position():
            return identity
        transaction = self._ledger.begin(self._plan.transactional_id, identity)
        is_filled = await self._fill(transaction)
        choice = self._random.random()
        if choice < 0.1:
            await self._pause(0, 2)
            return None  # as if the producer had crashed
        next_identity = await self._end(transaction, commit=is_filled and choice < 0.8)
        if transaction.response is not True:
            self._position = None
        elif transaction.consumed is not None:
            self._position = transaction.consumed[1]
        is_known = all(sent.acknowledged for sent in transaction.sent)
        # Without a new epoch the sequences are unknown if the outcome of a batch is.
        return next_identity if is_known or self._plan.is_new else None

    async def _fill(self, transaction: Transaction) -> bool:
        """Send batches and an offset; returns whether all of them were acknowledged."""
        partitions = self._random.sample(
            self._partitions, self._random.randint(1, len(self._partitions))
        )
        added = [*partitions, *self._temporary()]
        if not self._plan.is_new and not await self._add(transaction, added):
            return False
        for key in (*partitions, *self._temporary()):
            for _ in range(self._random.choice((1, 1, 2))):
                if not await self._produce(transaction, key):
                    return False
                await self._pause(0, self._random.choice((0, 0, 0.2, 0.2, 1)))
        return self._plan.group is None or await self._consume(transaction, self._plan.group)

    async def _add(self, transaction: Transaction, partitions: list[TopicPartition]) -> bool:
        added = await self._repeat(
            lambda: self._requests.add_partitions(transaction, partitions),
            lambda: not all(map(self._exists, partitions)),
        )
        return self._succeeds(added, transaction)

    async def _produce(self, transaction: Transaction, key: TopicPartition) -> bool:
        is_temporary = key not in self._partitions
        send = self._history.send_temporarily if is_temporary else self._history.send
        sent = send(key, self._random.choice((1, 2)), -1)
        self._ledger.send(transaction, sent)
        sequence = self._sequences.get(key, 0)
        records = batch(
            *sent.values,
            timestamp=int(EPOCH_MS + self._cluster.clock.now_ms()),
            producer_id=transaction.identity.producer_id,
            producer_epoch=transaction.identity.producer_epoch,
            base_sequence=sequence,
            attributes=TRANSACTIONAL_BIT,
        )
        self._sequences[key] = sequence + len(sent.values)
        timeout_ms = self._random.choice((300, 2000))
        limit_s = inf if self._plan.is_new else self._limits.choice((inf, 0.3, 0.6))
        produced = await self._repeat(
            lambda: self._requests.produce(transaction, key, records, timeout_ms, limit_s),
            lambda: not self._exists(key),
        )
        return self._succeeds(produced, transaction)

    # ------------------------------------------------------------------------------- the group

    async def _know_position(self) -> bool:
        """Continue at the committed offset, if there is a group and the position is unknown."""
        group = self._plan.group
        if group is None or self._position is not None:
            return True
        result = await self._repeat(lambda: self._requests.fetch_offset(group, self._partitions[0]))
        if result.error is ErrorCode.NONE:
            [topic] = result.response.topics
            [partition] = topic.partitions
            self._position = max(0, partition.committed_offset)
        return self._position is not None

    async def _consume(self, transaction: Transaction, group: str) -> bool:
        """Commit the offset after the next one to three positions of the input."""
        assert self._position is not None
        start = self._position
        transaction.consumed = start, start + self._random.randint(1, 3)
        _, end = transaction.consumed
        if not self._plan.is_new:
            added = await self._repeat(lambda: self._requests.add_offsets(transaction, group))
            if not self._succeeds(added, transaction):
                return False
        committed = await self._repeat(
            lambda: self._requests.commit_offset(transaction, group, self._partitions[0], end)
        )
        return self._succeeds(committed, transaction)

    # --------------------------------------------------------------------------------- the end

    async def _end(self, transaction: Transaction, *, commit: bool) -> Identity | None:
        """End the transaction; returns the identity for the next, None if the session has ended."""
        transaction.is_commit_requested = commit
        is_open = False

        async def end() -> Result:
            nonlocal is_open
            result = await self._requests.end(transaction, commit=commit)
            is_open = is_open or result.error in OPEN
            return result

        result = await self._repeat(end)
        is_abort = self._plan.is_new and not commit and result.error is ErrorCode.NONE
        if is_abort and self._ledger.is_fenced(transaction):
            # In Kafka, too, this is a retry if the last transaction of the id was aborted.
            transaction.response = False
            self._ledger.check_response(transaction)
            return None
        if self._succeeds(result, transaction):
            transaction.response = commit
            self._ledger.check_response(transaction)
            if not self._plan.is_new:
                return transaction.identity
            self._sequences = {}
            return self._identity(result.response)
        if result.error in FATAL and not is_open:
            transaction.response = False
            self._ledger.check_response(transaction)
        return None

    # ---------------------------------------------------------------------------------- errors

    def _temporary(self) -> list[TopicPartition]:
        """The partition of the next temporary topic that will be deleted, if any."""
        topics = map(self._cluster.controller.topic, self._plan.temporary)
        return [TopicPartition(topic.name, 0) for topic in topics if topic is not None][:1]

    def _exists(self, key: TopicPartition) -> bool:
        return self._cluster.controller.topic(key.topic) is not None

    async def _repeat(
        self, send: Callable[[], Awaitable[Result]], gives_up: Callable[[], bool] = lambda: False
    ) -> Result:
        """Send a request until it has a final result or the producer gives up."""
        until = trio.current_time() + self._random.choice((0.3, 3, 10, 10))
        while True:
            result = await send()
            if result.error not in RETRIABLE or trio.current_time() > until or gives_up():
                return result
            await trio.sleep(RETRY_MS / 1000)

    def _succeeds(self, result: Result, transaction: Transaction) -> bool:
        """Whether the result is a success; raises `Violation` for one that cannot occur."""
        if result.error is ErrorCode.NONE:
            self._ledger.check_not_fenced(result.text, transaction, result.sent_ms)
        elif result.error is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER and self._plan.may_lose_state:
            return False
        elif result.error is not None and result.error not in FATAL | RETRIABLE:
            raise Violation(f"{result.text}: {result.error.name}")
        return result.error is ErrorCode.NONE

    async def _pause(self, at_least: float, at_most: float) -> None:
        await trio.sleep(self._random.uniform(at_least, at_most))
