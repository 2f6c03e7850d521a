"""Changes of large groups, which are computed in a worker thread.

    snapshot of the group --prepare, in a thread--> change --unchanged?--> apply, on the loop
            ^-------------------------------------------- no ----'

A coordinated consumer or share group is replaced and never changed, so it is a snapshot. One change
of a group is prepared at a time, because each would invalidate the work of the others.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol, TypeVar

from broker.groups.group_locks import GroupLocks
from broker.groups.group_states import AnyGroup, GroupStates
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.steps.offload import Offload
from broker.steps.offloaded import offloaded
from broker.steps.queue import Slices

# If the group has changed in this number of attempts, a request is handled at once.
_ATTEMPTS_MAX = 5

Prepared = TypeVar("Prepared")
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class GroupChange(Protocol[Prepared, Result_co]):
    """What a request changes in its group; the methods raise `ApiError`."""

    @property
    def group_id(self) -> str:
        """The id of the group."""
        ...

    def check(self) -> None:
        """Raise unless this node coordinates the group and the request is valid."""
        ...

    def can_prepare(self, group: AnyGroup | None) -> bool:
        """Whether *group* is a snapshot or absent, so that `prepare` may run in a thread."""
        ...

    def prepare(self, group: AnyGroup | None) -> Prepared:
        """Compute the change, and serialize its records; *group* is unchanged."""
        ...

    def apply(self, prepared: Prepared) -> Result_co:
        """Append and apply the change, on the loop."""
        ...


class SnapshotChanges:
    """Runs the changes of a node."""

    def __init__(
        self, states: GroupStates, topics: CoordinatorMetadataImage, offload: Offload
    ) -> None:
        self._states = states
        self._topics = topics
        self._offload = offload
        self._locks = GroupLocks()

    def run(self, change: GroupChange[Prepared, Result]) -> Slices[Result]:
        """Prepare a change in a thread and apply it; raises `ApiError`.

        It is prepared again if the group or the topics have changed meanwhile.
        """
        group_id, groups, topics = change.group_id, self._states.groups, self._topics
        yield from self._locks.acquire(group_id)
        try:
            for _ in range(_ATTEMPTS_MAX):
                change.check()
                group, version = groups.get(group_id), topics.version
                if not change.can_prepare(group):
                    break
                prepared = yield from offloaded(self._offload, partial(change.prepare, group))
                if groups.get(group_id) is group and topics.version == version:
                    return change.apply(prepared)
        finally:
            self._locks.release(group_id)
        change.check()
        return change.apply(change.prepare(groups.get(group_id)))
