"""Finds the topics that match the regular expressions of groups, in worker threads.

Kafka uses a ``CoordinatorExecutor``. Each expression is a separate computation, so that other work
of the node can run between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.regex.program import Program
from broker.groups.consumer.regex.syntax import InvalidRegex
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.steps.offload import Job, Offload, Outcome

Matches = frozenset[str]
GroupOf = Callable[[str], ConsumerGroup | None]
IsVisible = Callable[[str], bool]


class Resolved(NamedTuple):
    """The topics that match each expression; ``version`` is that of `CoordinatorMetadataImage`."""

    topics: Mapping[str, Matches]
    version: int


OnResolved = Callable[[ConsumerGroup, Resolved], None]


class RegexKey(NamedTuple):
    """The key of the timeout that begins or ends the resolution of a group's expressions."""

    group_id: str
    what: str = "regex"


class RegexResolution:
    """The running resolutions, at most one for each group; *on_resolved* gets the results."""

    def __init__(
        self,
        timer: CoordinatorTimer,
        offload: Offload,
        topics: CoordinatorMetadataImage,
        group_of: GroupOf,
        on_resolved: OnResolved,
    ) -> None:
        self._timer = timer
        self._offload = offload
        self._topics = topics
        self._group_of = group_of
        self._on_resolved = on_resolved
        self._running: dict[str, _Resolution] = {}

    def is_pending(self, group_id: str) -> bool:
        """Whether a resolution for the group is running or scheduled."""
        return group_id in self._running or self._timer.is_scheduled(RegexKey(group_id))

    def schedule(self, group_id: str, is_visible: IsVisible | None = None) -> None:
        """Resolve all expressions of a group after the present request.

        Only topics that are visible for the client of that request match; None: all are.
        """
        self._timer.schedule(RegexKey(group_id), 0, lambda: self._begin(group_id, is_visible))

    def cancel(self, group_id: str) -> None:
        """Cancel the resolution of a group that is deleted, converted or unloaded."""
        self._timer.cancel(RegexKey(group_id))
        resolution = self._running.pop(group_id, None)
        if resolution is not None:
            resolution.abandon()

    def _begin(self, group_id: str, is_visible: IsVisible | None) -> None:
        group = self._group_of(group_id)
        if group is None:
            return
        version = self._topics.version

        def on_done(topics: Mapping[str, Matches]) -> None:
            del self._running[group_id]
            if is_visible is not None:
                topics = {regex: frozenset(filter(is_visible, topics[regex])) for regex in topics}
            resolved = Resolved(topics, version)
            # In a timer task, so that an exception is contained.
            self._timer.schedule(RegexKey(group_id), 0, lambda: self._end(group_id, resolved))

        regexes = sorted(group.subscribed_regexes())
        resolution = _Resolution(self._offload, regexes, self._topics.names(), on_done)
        self._running[group_id] = resolution
        resolution.advance()

    def _end(self, group_id: str, resolved: Resolved) -> None:
        group = self._group_of(group_id)
        if group is not None:
            self._on_resolved(group, resolved)


class _Resolution:
    """The resolution of the expressions of one group."""

    def __init__(
        self,
        offload: Offload,
        regexes: Sequence[str],
        names: Sequence[str],
        on_done: Callable[[Mapping[str, Matches]], None],
    ) -> None:
        self._offload = offload
        self._left = list(regexes)
        self._names = names
        self._on_done = on_done
        self._topics: dict[str, Matches] = {}
        self._job: Job[Matches] | None = None

    def advance(self) -> None:
        """Resolve the next expressions until one of them runs in a thread, or none is left."""
        while self._left:
            regex = self._left.pop()
            work = partial(matching, regex, self._names)
            job = self._offload.run(work, partial(self._matched, regex))
            if job.is_pending:
                self._job = job
                return
        self._on_done(self._topics)

    def abandon(self) -> None:
        """Drop the results."""
        if self._job is not None:
            self._job.abandon()

    def _matched(self, regex: str, outcome: Outcome[Matches]) -> None:
        self._topics[regex] = outcome.result()
        # Without a thread this is called before `run` returns, and the loop continues.
        if self._job is not None:
            self._job = None
            self.advance()


def matching(regex: str, names: Sequence[str]) -> Matches:
    """The *names* that match *regex*; none if it is invalid.

    Another coordinator may have accepted an expression that is refused here.
    """
    try:
        return frozenset(filter(Program(regex).matches, names))
    except InvalidRegex:
        return frozenset()
