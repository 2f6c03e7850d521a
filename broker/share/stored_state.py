"""The in-flight batches and gaps that the stored state of a share partition has.

    start 10    stored 12-14 ACKNOWLEDGED, 18-19 AVAILABLE    gaps 10-11 and 15-17

Acquired records are not stored, so a gap may have been acquired from an earlier leader.
"""

from __future__ import annotations

from collections.abc import Sequence

from broker.share.gaps import Gaps
from broker.share.in_flight_batch import InFlightBatch, Run
from broker.share.in_flight_window import InFlightWindow
from broker.share.persister import PersisterStateBatch
from broker.share.record_state import RecordState


class InvalidState(Exception):  # noqa: N818 - it names what was read
    """The stored batches overlap, are not sorted, or begin before the start offset."""


def restore(
    start_offset: int, stored: Sequence[PersisterStateBatch]
) -> tuple[InFlightWindow, Gaps]:
    """The window and its gaps; raises `InvalidState`."""
    window, gaps, position = InFlightWindow(), [], start_offset
    for each in stored:
        if not position <= each.first_offset <= each.last_offset:
            raise InvalidState(f"{each} is not a batch from offset {position} on")
        if each.first_offset > position:
            gaps.append((position, each.first_offset - 1))
        try:
            state = RecordState(each.delivery_state)
        except ValueError:
            raise InvalidState(f"{each} has an unknown state") from None
        run = Run(each.first_offset, each.last_offset, state, each.delivery_count)
        window.add(InFlightBatch(run))
        position = each.last_offset + 1
    return window, Gaps(gaps)
