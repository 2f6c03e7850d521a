"""The transactions as their producers see them, and what is known about their outcomes.

    begin --> values and offsets are sent --> commit requested --> response: committed, refused
                                         `--> abort requested      or none: the outcome is open
                                         `--> nothing more: the coordinator aborts it

The markers in the partitions must agree with the response and with each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from broker.common.topic_partition import TopicPartition
from tests.simulation.history import Sent
from tests.simulation.violation import Violation


@dataclass(frozen=True, order=True)
class Identity:
    """A producer id and epoch; of one transactional id, later ones are greater.

    ``generation`` is the number of producer ids that the transactional id had before this one.
    """

    generation: int
    producer_id: int
    producer_epoch: int


@dataclass(eq=False)
class Transaction:
    """One transaction of one producer.

    ``consumed`` is the range of positions of the input, whose end is committed for the group.
    ``response`` is whether EndTxn has committed, None if that is open. ``outcome`` is whether the
    markers commit, None while there is none.
    """

    name: str
    transactional_id: str
    identity: Identity
    sent: list[Sent] = field(default_factory=list)
    consumed: tuple[int, int] | None = None
    is_commit_requested: bool = False
    response: bool | None = None
    outcome: bool | None = None


@dataclass(frozen=True)
class Fence:
    """A producer has got an identity; ``ends`` are the ends of the committed records then."""

    at_ms: float
    identity: Identity
    ends: Mapping[TopicPartition, int]


class Ledger:
    """All transactions of a run, and the identities that InitProducerId returned."""

    def __init__(self) -> None:
        self.transactions: list[Transaction] = []
        self._by_value: dict[bytes | None, Transaction] = {}
        self._by_name: dict[str, Transaction] = {}
        self._fences: dict[str, list[Fence]] = {}

    def begin(self, transactional_id: str, identity: Identity) -> Transaction:
        """A producer begins a transaction."""
        name = f"transaction {len(self.transactions)} of {transactional_id}"
        transaction = Transaction(name, transactional_id, identity)
        self.transactions.append(transaction)
        self._by_name[name] = transaction
        return transaction

    def send(self, transaction: Transaction, sent: Sent) -> None:
        """The producer sends a batch in its transaction."""
        transaction.sent.append(sent)
        self._by_value.update(dict.fromkeys(sent.values, transaction))

    def of_value(self, value: bytes | None) -> Transaction | None:
        """The transaction in which a value was sent; None if it was sent outside of one."""
        return self._by_value.get(value)

    def of_name(self, name: str) -> Transaction | None:
        """The transaction with that name."""
        return self._by_name.get(name)

    # --------------------------------------------------------------------------------- fencing

    def initialized(self, transactional_id: str, fence: Fence) -> None:
        """InitProducerId has returned an identity, which fences all smaller ones."""
        fences = self._fences.setdefault(transactional_id, [])
        fences.append(fence)

    def is_fenced(self, transaction: Transaction) -> bool:
        """Whether a greater identity was returned to another producer."""
        fences = self._fences.get(transaction.transactional_id, [])
        return any(transaction.identity < fence.identity for fence in fences)

    def check_not_fenced(self, text: str, transaction: Transaction, sent_ms: float) -> None:
        """Raise `Violation`: a request, sent after its producer was fenced, has succeeded."""
        for fence in self._fences.get(transaction.transactional_id, []):
            if fence.at_ms < sent_ms and transaction.identity < fence.identity:
                raise Violation(
                    f"{text}: succeeds with {transaction.identity}, although {fence.identity} was "
                    f"returned at {fence.at_ms:.1f}"
                )

    def check_appended(self, key: TopicPartition, offset: int, transaction: Transaction) -> None:
        """Raise `Violation` if a fenced producer has appended at that offset."""
        for fence in self._fences.get(transaction.transactional_id, []):
            if transaction.identity < fence.identity and offset >= fence.ends[key]:
                raise Violation(
                    f"{key}: {transaction.name} with {transaction.identity} has a batch at "
                    f"{offset}, although {fence.identity} was returned at {fence.at_ms:.1f}, with "
                    f"{fence.ends[key]} committed"
                )

    # -------------------------------------------------------------------------------- outcomes

    def ended(self, key: TopicPartition, transaction: Transaction, commit: bool) -> None:
        """A partition has a marker; raises `Violation` if it contradicts another or a response."""
        kind = "commit" if commit else "abort"
        if transaction.outcome is not None and transaction.outcome != commit:
            raise Violation(f"{key}: {transaction.name} ends with another marker, {kind}")
        transaction.outcome = commit
        self.check_response(transaction)

    def check_response(self, transaction: Transaction) -> None:
        """Raise `Violation` if the response of EndTxn and the markers contradict each other."""
        if transaction.outcome is None:
            return
        kind = "commits" if transaction.outcome else "aborts"
        if transaction.outcome and not transaction.is_commit_requested:
            raise Violation(f"{transaction.name}: a marker {kind}, which was not requested")
        if transaction.response is not None and transaction.outcome != transaction.response:
            raise Violation(f"{transaction.name}: a marker {kind}, contrary to the response")
