"""The requests and results of the transaction coordinator."""

from __future__ import annotations

from typing import NamedTuple

from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.record_batch.header import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


class ProducerIdAndEpoch(NamedTuple):
    """The identity of a producer."""

    producer_id: int
    producer_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InitProducerId:
    """An InitProducerId request of a transactional producer.

    ``expected`` is the producer's own id and epoch (KIP-360), None if it has none.
    """

    transactional_id: str
    timeout_ms: int
    expected: ProducerIdAndEpoch | None = None


class InitProducerIdResult(NamedTuple):
    """The result of InitProducerId; with an error, the id and the epoch are -1."""

    error: ErrorCode
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTxn:
    """An EndTxn request.

    ``client_version`` is the protocol of the request: 2 if it bumps the epoch, else 0.
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    commit: bool
    client_version: int


class EndTxnResult(NamedTuple):
    """The result of EndTxn; the id and the epoch are those of the producer's next transaction."""

    error: ErrorCode
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
