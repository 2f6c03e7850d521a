"""A batch of in-flight records: runs of offsets that have the same state.

    batch 10-19    [10-12 ACKNOWLEDGED #1] [13 AVAILABLE #1] [14-19 ACQUIRED #1]

A new batch has one run. A change of a part of it splits runs, and ``is_split`` remains set, as
Kafka keeps a state for each offset of such a batch (``InFlightBatch``).
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import Final

from broker.share.acquisition_lock import AcquisitionLock
from broker.share.record_state import TERMINAL, RecordState
from protocol.lazy_dataclass import dataclass

NO_MEMBER: Final = ""

_last_of = attrgetter("last")


@dataclass(slots=True)
class Before:
    """The state of a run before a change that is being written."""

    state: RecordState
    member_id: str


class Run:
    """Offsets ``first`` to ``last`` of a batch, with one state (Kafka's ``InFlightState``).

    ``before`` is set while a change of the run is being written; such a run can be neither acquired
    nor split. ``lock`` ends the acquisition, also while the write is in progress.
    """

    __slots__ = ("before", "delivery_count", "first", "last", "lock", "member_id", "state")

    def __init__(self, first: int, last: int, state: RecordState, delivery_count: int) -> None:
        assert first <= last
        self.first = first
        self.last = last
        self.state = state
        self.delivery_count = delivery_count
        self.member_id = NO_MEMBER
        self.lock: AcquisitionLock | None = None
        self.before: Before | None = None

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def is_available(self) -> bool:
        """Whether the run can be acquired."""
        return self.state is RecordState.AVAILABLE and self.before is None

    @property
    def is_complete(self) -> bool:
        """Whether its records are never delivered again, also after a failed write."""
        return self.state in TERMINAL and self.before is None

    def acquire(self, member_id: str, lock: AcquisitionLock) -> None:
        """Deliver the run to a member once more."""
        assert self.is_available
        self.state = RecordState.ACQUIRED
        self.delivery_count += 1
        self.member_id = member_id
        self.lock_with(lock)

    def lock_with(self, lock: AcquisitionLock) -> None:
        """Replace the lock."""
        self.unlock()
        lock.extend(self.first, self.last)
        self.lock = lock

    def unlock(self) -> None:
        """Release the lock, if there is one."""
        lock, self.lock = self.lock, None
        if lock is not None:
            lock.release()

    def end_acquisition(self, state: RecordState) -> None:
        """Take the run from its member."""
        self.unlock()
        self.state = state
        self.member_id = NO_MEMBER

    def split_at(self, offset: int) -> Run:
        """Cut the part from *offset* on off this run, and return it."""
        assert self.first < offset <= self.last
        assert self.before is None, "a run is not split while a change of it is written"
        rest = Run(offset, self.last, self.state, self.delivery_count)
        rest.member_id = self.member_id
        rest.lock = self.lock
        if rest.lock is not None:
            rest.lock.holders += 1
        self.last = offset - 1
        return rest


class InFlightBatch:
    """Offsets ``first`` to ``last``, and the runs of which they consist."""

    __slots__ = ("first", "is_split", "last", "runs")

    def __init__(self, run: Run) -> None:
        self.first, self.last = run.first, run.last
        self.runs = [run]
        self.is_split = False

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def is_complete(self) -> bool:
        """Whether none of its records is delivered again."""
        return all(run.is_complete for run in self.runs)

    def runs_touching(self, first: int, last: int) -> list[Run]:
        """The runs that have offsets from *first* to *last*, unchanged."""
        runs, found = self.runs, list[Run]()
        begin = 0 if runs[0].last >= first else bisect_left(runs, first, key=_last_of)
        for index in range(begin, len(runs)):
            run = runs[index]
            if run.first > last:
                break
            found.append(run)
        return found

    def cut(self, run: Run, first: int, last: int) -> Run:
        """The part of *run*, a run of this batch, from *first* to *last*; splits the run there."""
        if run.first < first:
            run = self._split(run, first)
        if run.last > last:
            self._split(run, last + 1)
        return run

    def _split(self, run: Run, offset: int) -> Run:
        at = bisect_left(self.runs, run.last, key=_last_of)
        assert self.runs[at] is run
        rest = run.split_at(offset)
        self.runs.insert(at + 1, rest)
        self.is_split = True
        return rest
