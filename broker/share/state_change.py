"""A change of in-flight records that takes effect in memory at once, and can be rolled back.

ACQUIRED --set--> RELEASED ...  being written  ... --commit---> unlocked
    ^                                          |
    +-------------------roll back--------------+   or AVAILABLE if its lock has expired
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.share.in_flight_batch import NO_MEMBER, Before, Run
from broker.share.persister import PersisterStateBatch
from broker.share.record_state import RecordState, after_release


class StateChange:
    """Runs that have a new state, which is being written."""

    __slots__ = ("runs",)

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def set(self, run: Run, state: RecordState) -> None:
        """Change an acquired run; it keeps its lock until the write has succeeded."""
        run.before = Before(run.state, run.member_id)
        run.state = state
        run.member_id = NO_MEMBER
        self.runs.append(run)

    def commit(self) -> None:
        """Keep the new states, which have been written, and end the locks."""
        for run in self.runs:
            run.before = None
            run.unlock()

    def roll_back(self, delivery_count_limit: int) -> None:
        """Restore the states before, and release the runs whose lock has expired meanwhile."""
        for run in self.runs:
            assert run.before is not None
            run.state, run.member_id = run.before.state, run.before.member_id
            run.before = None
            if run.lock is None:
                run.end_acquisition(after_release(run.delivery_count, delivery_count_limit))


def state_batches(runs: Iterable[Run]) -> tuple[PersisterStateBatch, ...]:
    """The states of *runs*, which are in the order of their offsets, as they are stored.

    Adjacent runs with the same state are one batch.
    """
    batches: list[PersisterStateBatch] = []
    for run in runs:
        state, count = int(run.state), run.delivery_count
        if batches:
            last = batches[-1]
            if (
                last.last_offset + 1 == run.first
                and last.delivery_state == state
                and last.delivery_count == count
            ):
                batches[-1] = PersisterStateBatch(last.first_offset, run.last, state, count)
                continue
        batches.append(PersisterStateBatch(run.first, run.last, state, count))
    return tuple(batches)
