"""The states of a transactional id, with their numbers in the log (``TransactionState``)."""

from __future__ import annotations

from enum import IntEnum


class TransactionState(IntEnum):
    """The state of a transactional id; `label` is its name in responses."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def label(self) -> str:
        """The name in responses, such as ``PrepareCommit``."""
        return self.name.title().replace("_", "")

    @property
    def is_prepared(self) -> bool:
        """Whether the outcome is decided and markers are outstanding."""
        return self in (self.PREPARE_COMMIT, self.PREPARE_ABORT)

    @property
    def is_idle(self) -> bool:
        """Whether there is no transaction, so that the id may expire."""
        return self in (self.EMPTY, self.COMPLETE_COMMIT, self.COMPLETE_ABORT)


STATE_BY_LABEL = {state.label: state for state in TransactionState}
