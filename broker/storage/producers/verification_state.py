"""The verification of a producer's first transactional batch with its coordinator (KIP-890).

Until the coordinator has confirmed that the partition belongs to the transaction, the log keeps an
entry of the producer. Its guard is a unique number, which the append of the batch must have. The
end of a transaction removes the entry, so that a verification that began before it cannot open
another transaction (Kafka's ``VerificationStateEntry`` and ``VerificationGuard``).
"""

from __future__ import annotations

from itertools import count
from typing import Final

# The guard of an append without verification.
NO_GUARD: Final = 0

_guards = count(NO_GUARD + 1)


class VerificationStateEntry:
    """The verification of one producer, which began at ``timestamp``.

    ``lowest_sequence`` is the smallest base sequence that was verified in ``epoch``: if the first
    batch of several is refused, the later ones must not be appended. ``supports_epoch_bump``: the
    epoch changes at the end of each transaction, so each begins with sequence number 0.
    """

    __slots__ = ("epoch", "guard", "lowest_sequence", "supports_epoch_bump", "timestamp")

    def __init__(
        self, timestamp: int, sequence: int, epoch: int, *, supports_epoch_bump: bool
    ) -> None:
        self.timestamp = timestamp
        self.guard = next(_guards)
        self.lowest_sequence = sequence
        self.epoch = epoch
        self.supports_epoch_bump = supports_epoch_bump

    def update(self, sequence: int, epoch: int) -> None:
        """Another batch is verified; a higher epoch replaces the lowest sequence."""
        if epoch > self.epoch or (epoch == self.epoch and sequence < self.lowest_sequence):
            self.epoch, self.lowest_sequence = epoch, sequence
