"""A node with groups, its logs, and the requests without a response."""

from __future__ import annotations

from types import GeneratorType
from typing import Any
from uuid import UUID

from broker.api.outcome import PARKED
from broker.api.table import ALL_APIS
from broker.coordinators.coordinator_log import TransactionEnd
from broker.coordinators.coordinator_record import RawRecord
from broker.groups.group_states import GroupStates
from broker.steps.offload import Inline
from protocol.messages.join_group import JoinGroupRequest
from protocol.messages.sync_group import SyncGroupRequest
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices
from tests.broker.groups.model.plan import Plan
from tests.broker.groups.model.transactional_log import compact
from tests.broker.groups.model.violation import Violation
from tests.held_offload import HeldOffload

TOPICS = ("t", "u", "v", "w")


class ModelWorld:
    """The node under test; ``shadows`` are the replays of its logs, record by record."""

    def __init__(self, plan: Plan) -> None:
        self._offload = HeldOffload() if plan.holds_threads else Inline()
        self.node = GroupServices(plan.config, self._offload)
        self.node.groups.long_heartbeats.items_at_once_max = plan.items_at_once_max
        self.world = self.node.world
        self.parked: list[GroupRequest] = []
        self._slices: dict[GroupRequest, Any] = {}
        self.led = set(range(len(self.world.logs)))
        self.is_slow = False
        self.shadows = [GroupStates() for _ in self.world.logs]
        self._shadowed = [0] * len(self.world.logs)
        self._topics_made = 100

    # ----------------------------------------------------------------------------- requests

    def send(self, body: Any, version: int, client_id: str | None) -> GroupRequest:
        """Send a request, which collects its responses."""
        self.parked = [each for each in self.parked if not each.responses]
        request = GroupRequest(self.node, body, version, client_id)
        served = ALL_APIS.get(body.__spec__.key)
        assert served is not None
        response = served[1](request.request)
        if isinstance(response, GeneratorType):
            self._slices[request] = response
        elif response is not PARKED:
            request.respond(response)
        self.world.end_request()
        if not request.responses:
            self.parked.append(request)
        self._advance()
        self.world.end_request()
        return request

    def _advance(self) -> None:
        """Run one slice of each long request; other requests run between two slices.

        A computation in a thread ends in the next step that advances.
        """
        if isinstance(self._offload, HeldOffload) and self._offload.jobs:
            self._offload.finish_next()
        for request, slices in list(self._slices.items()):
            try:
                next(slices)
            except StopIteration as end:
                del self._slices[request]
                if end.value is not PARKED:
                    request.respond(end.value)

    def check_parked(self) -> None:
        """Check that only joins, syncs and requests that wait for replication have no response."""
        for request in self.parked:
            if len(request.responses) > 1:
                raise Violation(f"{request.body} has {len(request.responses)} responses")
            waits = isinstance(request.body, JoinGroupRequest | SyncGroupRequest)
            if not (request.responses or waits or self.is_slow or request in self._slices):
                raise Violation(f"{request.body} has no response")

    def abandon(self, request: GroupRequest) -> None:
        """Disconnect the client of a waiting request."""
        self.parked.remove(request)
        self._slices.pop(request, None)
        if request.on_disconnect is not None:
            request.on_disconnect()

    # ------------------------------------------------------------------------------- topics

    def put_topic(self, name: str, partitions: int) -> None:
        """Create a topic with a new id, or extend it."""
        topic = self.node.image.topic(name)
        if topic is not None:
            self.world.put_topic(name, max(partitions, len(topic.partitions)))
            return
        self._topics_made += 1
        self.world.put_topic(name, partitions, UUID(int=self._topics_made))

    def drop_topic(self, name: str) -> None:
        """Delete a topic, if it exists."""
        if self.node.image.topic(name) is not None:
            self.world.drop_topic(name)

    # --------------------------------------------------------------------------------- logs

    def slow_down(self) -> None:
        """Let appends wait for `replicate`."""
        self.is_slow = True
        self.world.slow_down()

    def replicate(self) -> None:
        """Move the high watermarks to the ends of the logs."""
        self.is_slow = False
        self.world.replicate()

    def resign(self, partition: int) -> None:
        """Let the node resign from a partition."""
        self.node.groups.runtime.on_resignation(partition)
        self.led.discard(partition)

    def restart(self) -> None:
        """Load all groups from their logs again."""
        for partition in range(len(self.world.logs)):
            self.lead(partition)

    def lead(self, partition: int) -> None:
        """Elect the node again for a partition, which it loads."""
        if partition in self.led:
            self.node.groups.runtime.on_resignation(partition)
        self.node.groups.runtime.on_election(partition, self.world.logs[partition])
        self.led.add(partition)

    def follow_logs(self) -> None:
        """Replay the records that have been appended since the last call."""
        for index, log in enumerate(self.world.logs):
            new = log.records[self._shadowed[index] :]
            self._shadowed[index] = len(log.records)
            for each in new:
                self._load(each, self.shadows[index])

    def compacted(self) -> list[GroupStates]:
        """Return the replays of the logs after the compaction of each."""
        compacted = []
        for log in self.world.logs:
            states = GroupStates()
            for each in compact(log.records):
                self._load(each, states)
            compacted.append(states)
        return compacted

    def _load(self, entry: RawRecord | TransactionEnd, states: GroupStates) -> None:
        if isinstance(entry, RawRecord):
            states.load(entry, self.world.clock.wall_ms())
        else:
            states.end_transaction(entry.producer_id, is_commit=entry.is_commit)
