"""Plays programs of transactional requests about one transactional id and its identities.

Steps name identities by their order, because the systems allocate different producer ids. Requests
that a client retries are sent again until the outcome is final, and the player waits for markers
after each end of a transaction, so that the responses do not depend on the speed of a system.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from integration.machine.deadlines import eventually
from integration.parity.formatting import Formatter
from integration.parity.group_requests import committed
from integration.parity.programs import PARTITIONS, Place, Places, name_members
from integration.parity.requests import fetch
from integration.parity.scenario import Kafka
from integration.parity.transaction_requests import (
    Identity,
    describe_producers,
    describe_transactions,
    init_producer_id,
)
from integration.parity.transactional_producer import coordinator
from protocol.errors import ErrorCode

_RETRIED = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_ENOUGH_REPLICAS,  # Produce, for any of the others
    }
)
_FOREIGN = Identity(1 << 40, 0)  # an id that is never allocated


class Session:
    """The transactional id of a program, with its identities and sequence numbers on one system."""

    def __init__(self, kafka: Kafka, place: Place) -> None:
        self.place = place
        self.transactional_id = kafka.new_name("transaction")
        self.next_sequences: Counter[tuple[Identity, int]] = Counter()  # by identity and partition
        self._kafka = kafka
        self._identities: list[Identity] = []
        coordinator(kafka, self.transactional_id)

    @property
    def partitions(self) -> list[int]:
        """The partitions of the program."""
        return [self.place.first_partition + index for index in range(PARTITIONS)]

    def identity(self, back: int) -> Identity:
        """Return an earlier identity, *back* from the latest; a foreign one if there are fewer."""
        known = self._identities
        return known[-1 - back] if back < len(known) else _FOREIGN

    def add_identity(self, response: Any) -> None:
        """Add the identity in a response of InitProducerId or EndTxn, if it has one."""
        if response.error_code == ErrorCode.NONE and response.producer_id >= 0:
            self._identities.append(Identity(response.producer_id, response.producer_epoch))

    def send(self, request: Any, version: int | None = None) -> Any:
        """Send a request until its response has no error that a client retries."""

        def final() -> Any:
            response = self._kafka.request(request, version)
            return None if _RETRIED.intersection(error_codes(response)) else response

        return eventually(final, f"a final response to {request}")

    def settle(self) -> Any:
        """Wait until no marker is outstanding, and return the state of the transaction."""

        def settled() -> Any:
            response = self.send(describe_transactions(self.transactional_id))
            (described,) = response.transaction_states
            return None if described.transaction_state.startswith("Prepare") else described

        described = eventually(settled, f"all markers of {self.transactional_id}")
        for topic in described.topics:
            topic.partitions.sort()
        described.topics.sort(key=lambda each: each.topic)
        return described

    def outcome(self) -> Iterator[object]:
        """Abort an open transaction, and yield what is stored after it."""
        yield self.send(init_producer_id(self.transactional_id))
        described = self.settle()
        assert described.transaction_state == "Empty", described
        assert not described.topics, described
        yield described
        yield self.read(read_committed=True)
        yield self.send(describe_producers(self.place.topic, *self.partitions))
        yield self.offsets(require_stable=True)

    def read(self, *, read_committed: bool) -> Any:
        """Fetch the partitions from their beginning, without waiting."""
        offsets = dict.fromkeys(self.partitions, 0)
        requested = fetch(self.place.topic, offsets, max_wait_ms=0, read_committed=read_committed)
        return self.send(requested)

    def offsets(self, *, require_stable: bool) -> Any:
        """Return the committed offsets of the group."""
        requested = committed(
            self.place.group, {self.place.topic: self.partitions}, require_stable=require_stable
        )
        return self.send(requested)


class TransactionStep(Protocol):
    """One request of a program."""

    def send(self, session: Session) -> Any:
        """Send the request and return its final response, sorted."""


class TransactionPlayer:
    """Runs programs on one system, each with a new transactional id and on empty partitions."""

    def __init__(self, kafka: Kafka) -> None:
        self._kafka = kafka
        self._places = Places(kafka)

    def play(self, program: Sequence[TransactionStep]) -> list[str]:
        """Return the responses and the outcome, as lines; no transaction remains open."""
        session = Session(self._kafka, self._places.new())
        formatter = Formatter()
        formatter.name(session.place.topic, "topic")
        formatter.name(session.place.group, "group")
        formatter.name(session.transactional_id, "transaction")
        lines = []
        for step in program:
            response = step.send(session)
            name_members(formatter, response)
            lines.append(formatter.line((type(step).__name__, response)))
        return [*lines, *map(formatter.line, session.outcome())]


def error_codes(response: Any) -> Iterator[int]:
    """Yield all error codes in a response, at any depth."""
    if isinstance(response, list):
        for each in response:
            yield from error_codes(each)
    elif dataclasses.is_dataclass(response):
        for field in dataclasses.fields(response):
            value = getattr(response, field.name)
            if field.name.endswith("error_code"):
                yield value
            else:
                yield from error_codes(value)
