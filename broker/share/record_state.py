"""The states of an in-flight record, and what acknowledgements make of them (KIP-932).

    AVAILABLE --acquire--> ACQUIRED --accept---------> ACKNOWLEDGED
        ^                     |  |
        |   release, or the   |  +---reject, gap-----> ARCHIVED
        +---lock expires------+      also a release or an expiry of the last delivery

Both states on the right are terminal. The numbers are those of `__share_group_state` and of
requests: Kafka's ``RecordState`` and ``AcknowledgeType``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class RecordState(IntEnum):
    """The state of a record; ACQUIRED is never stored."""

    AVAILABLE = 0
    ACQUIRED = 1
    ACKNOWLEDGED = 2
    ARCHIVED = 4


class AcknowledgeType(IntEnum):
    """What a member says about a record; GAP: its offset has no record for the member."""

    GAP = 0
    ACCEPT = 1
    RELEASE = 2
    REJECT = 3
    RENEW = 4


AVAILABLE: Final = RecordState.AVAILABLE
ACQUIRED: Final = RecordState.ACQUIRED
ACKNOWLEDGED: Final = RecordState.ACKNOWLEDGED
ARCHIVED: Final = RecordState.ARCHIVED
TERMINAL: Final = frozenset({ACKNOWLEDGED, ARCHIVED})

# The state that each type of acknowledgement requests; a renewal changes no state.
REQUESTED_STATES: Final = {
    AcknowledgeType.GAP: ARCHIVED,
    AcknowledgeType.ACCEPT: ACKNOWLEDGED,
    AcknowledgeType.RELEASE: AVAILABLE,
    AcknowledgeType.REJECT: ARCHIVED,
}


def after_release(delivery_count: int, delivery_count_limit: int) -> RecordState:
    """The state of a released record: ARCHIVED if it may not be delivered again."""
    return ARCHIVED if delivery_count >= delivery_count_limit else AVAILABLE
