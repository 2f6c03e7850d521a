"""Producers: they commit offsets in transactions, which markers end, and outside of them.

Some markers are repeated, or come without a transaction. A producer id may have several open
transactions in turn; each partition has a marker of its own, so one may be committed for a long
time before the other.
"""

from __future__ import annotations

import random

from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.broker.groups.model.actors import GROUPS, Actors
from tests.broker.groups.model.world import TOPICS, ModelWorld

_PRODUCER_IDS = (7, 8, 9)
# Members use other groups.
_SIMPLE_GROUP = "s"
_VERIFICATION_ERRORS = (ErrorCode.CONCURRENT_TRANSACTIONS, ErrorCode.NETWORK_EXCEPTION)


class Producers:
    """Sends transactional commits and markers."""

    def __init__(self, rng: random.Random, world: ModelWorld, actors: Actors) -> None:
        self._rng = rng
        self._world = world
        self._actors = actors

    def act(self) -> str:
        """Send a random request; returns a description."""
        return self._rng.choice((self._commit, self._commit, self._commit_outside, self._end))()

    def _commit_outside(self) -> str:
        """Commit without a transaction, in the group that has no members."""
        partition = OffsetCommitRequestPartition(
            partition_index=0,
            committed_offset=self._rng.randrange(1000),
            committed_metadata="",
        )
        topic = OffsetCommitRequestTopic(name=self._rng.choice(TOPICS), partitions=[partition])
        request = OffsetCommitRequest(group_id=_SIMPLE_GROUP, member_id="", topics=[topic])
        sent = self._world.send(request, 8, "producer")
        return f"producer {request} -> {sent.responses or 'parked'}"

    def _commit(self) -> str:
        rng = self._rng
        version = rng.choice((5, 5, 4, 3, 2, 0))
        actor = rng.choice(self._actors.actors)
        is_member = version >= 3 and rng.random() < 0.6
        partitions = [
            TxnOffsetCommitRequestPartition(
                partition_index=index,
                committed_offset=rng.randrange(-1, 1000),
                committed_metadata=rng.choice(("", None, "note", "x" * 5000)),
            )
            for index in rng.choice(((0,), (0,), (0, 1), (-1,)))
        ]
        request = TxnOffsetCommitRequest(
            transactional_id="tx",
            group_id=rng.choice((*[actor.group] * 3, *[_SIMPLE_GROUP] * 3, *GROUPS)),
            producer_id=rng.choice(_PRODUCER_IDS),
            producer_epoch=0,
            generation_id=actor.generation + rng.choice((0, 0, 0, -1, 1)) if is_member else -1,
            member_id=actor.member_id if is_member else "",
            group_instance_id=rng.choice((None, actor.instance)) if is_member else None,
            topics=[
                TxnOffsetCommitRequestTopic(name=name, partitions=partitions)
                for name in (*TOPICS, "absent")
                if rng.random() < 0.4
            ],
        )
        verification = self._world.node.verification
        verification.error = rng.choice((*[ErrorCode.NONE] * 9, *_VERIFICATION_ERRORS))
        sent = self._world.send(request, version, "producer")
        return f"producer v{version} {request} -> {sent.responses or 'parked'}"

    def _end(self) -> str:
        rng, world = self._rng, self._world.world
        partition = rng.randrange(len(world.logs))
        producer_id, is_commit = rng.choice(_PRODUCER_IDS), rng.random() < 0.6
        responses: list[str] = []
        world.coordinator.complete_transaction(
            partition,
            producer_id=producer_id,
            producer_epoch=0,
            coordinator_epoch=0,
            commit=is_commit,
            transaction_version=rng.choice((0, 2)),
            on_response=lambda error: responses.append(error.name),
        )
        world.end_request()
        result = "commit" if is_commit else "abort"
        return f"{result} of producer {producer_id} in {partition} -> {responses or 'parked'}"
