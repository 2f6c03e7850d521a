"""The steps of programs about one transactional id: requests with an identity of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from integration.parity.requests import produce
from integration.parity.transaction_player import Session
from integration.parity.transaction_requests import (
    NOBODY,
    Identity,
    add_in_batch,
    add_offsets,
    add_partitions,
    commit_in_txn,
    end_txn,
    in_batch,
    init_producer_id,
    transactional_batch,
)

_BATCHED_SINCE = 4  # the version of AddPartitionsToTxn with several transactions


@dataclass(frozen=True)
class Choice:
    """The identity of a request: *back* from the latest one, with another epoch."""

    back: int
    epoch_change: int

    def on(self, session: Session) -> Identity:
        """Return the identity on a system; epochs are not negative."""
        producer_id, epoch = session.identity(self.back)
        return Identity(producer_id, max(0, epoch + self.epoch_change))


@dataclass(frozen=True)
class Describe:
    """Describe the transaction."""

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        return session.settle()


@dataclass(frozen=True)
class Init:
    """InitProducerId, from version 3 also with an identity."""

    version: int
    timeout_ms: int
    identity: Choice | None

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        known = NOBODY if self.identity is None else self.identity.on(session)
        requested = init_producer_id(
            session.transactional_id, timeout_ms=self.timeout_ms, known=known
        )
        response = session.send(requested, self.version)
        session.add_identity(response)
        return response


@dataclass(frozen=True)
class Add:
    """AddPartitionsToTxn, of a client or of a broker; brokers also verify partitions."""

    version: int
    identity: Choice
    partitions: tuple[int, ...]
    other_topic: str | None
    verify: bool

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        transactional_id, identity = session.transactional_id, self.identity.on(session)
        first = session.place.first_partition
        added = {session.place.topic: [first + index for index in self.partitions]}
        if self.other_topic is not None:
            added[self.other_topic] = [0]
        if self.version < _BATCHED_SINCE:
            requested = add_partitions(transactional_id, identity, added)
        else:
            requested = add_in_batch(
                in_batch(transactional_id, identity, added, verify=self.verify)
            )
        return _sorted(session.send(requested, self.version))


@dataclass(frozen=True)
class AddOffsets:
    """AddOffsetsToTxn."""

    version: int
    identity: Choice

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        identity = self.identity.on(session)
        requested = add_offsets(session.transactional_id, identity, session.place.group)
        return session.send(requested, self.version)


@dataclass(frozen=True)
class Produce:
    """Produce a batch of one record; the next sequence number of the partition may be changed."""

    version: int
    identity: Choice
    partition: int
    sequence_change: int

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        identity = self.identity.on(session)
        place, counted = session.place, (identity, self.partition)
        sequence = max(0, session.next_sequences[counted] + self.sequence_change)
        records = transactional_batch(identity, sequence, "a")
        requested = produce(
            place.topic,
            {place.first_partition + self.partition: records},
            transactional_id=session.transactional_id,
        )
        response = session.send(requested, self.version)
        if response.responses[0].partition_responses[0].error_code == 0:
            session.next_sequences[counted] = sequence + 1
        return response


@dataclass(frozen=True)
class CommitOffset:
    """TxnOffsetCommit, of a member of the group from version 3 on."""

    version: int
    identity: Choice
    partition: int
    offset: int
    member: str = ""
    epoch: int = -1
    instance: str | None = None

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        place = session.place
        requested = commit_in_txn(
            session.transactional_id,
            self.identity.on(session),
            place.group,
            place.topic,
            {place.first_partition + self.partition: self.offset},
            member=self.member,
            generation=self.epoch,
            instance=self.instance,
        )
        return session.send(requested, self.version)


@dataclass(frozen=True)
class End:
    """EndTxn; the next request follows when all markers are written."""

    version: int
    identity: Choice
    commit: bool

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        requested = end_txn(session.transactional_id, self.identity.on(session), commit=self.commit)
        response = session.send(requested, self.version)
        session.add_identity(response)
        session.settle()
        return response


@dataclass(frozen=True)
class Read:
    """Fetch the partitions."""

    read_committed: bool

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        return session.read(read_committed=self.read_committed)


@dataclass(frozen=True)
class Committed:
    """Fetch the offsets of the group."""

    require_stable: bool

    def send(self, session: Session) -> Any:
        """See `TransactionStep`."""
        return session.offsets(require_stable=self.require_stable)


def _sorted(response: Any) -> Any:
    """Return the response to `Add` with sorted topics and partitions: Kafka uses hash tables."""
    for topics in (
        response.results_by_topic_v3_and_below,
        *(each.topic_results for each in response.results_by_transaction),
    ):
        topics.sort(key=lambda each: each.name)
        for topic in topics:
            topic.results_by_partition.sort(key=lambda each: each.partition_index)
    return response
