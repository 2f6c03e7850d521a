"""What the admin interface uses of the broker: its state, its requests, and faults on demand.

All values are made of what JSON can hold. docs/reference/admin.md lists their fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from broker.admin.facts.clock_facts import ClockFacts
from broker.admin.facts.json_object import JsonObject
from broker.admin.facts.live_part import LivePart
from broker.admin.facts.partition_work import PartitionWork
from broker.api.request_counts import Counted
from broker.common.state_changes import StateChanges
from broker.faults.fault_rules import FaultRules
from protocol.lazy_dataclass import dataclass
from protocol.printable import printable

LIMIT_DEFAULT = 100
LIMIT_MAX = 10_000


class NotServed(Exception):  # noqa: N818 - the name is the problem
    """The broker does not have what was requested; the message says what it has."""


@dataclass(frozen=True, slots=True)
class RequestQuery:
    """Selects requests: those that are parked, or the last ones that were completed.

    None matches any. ``topic`` matches a request with a partition of it, ``client`` its client id,
    ``correlation`` its correlation id. ``followers`` includes the fetches by which nodes replicate.
    """

    parked: bool = False
    api: str | None = None
    topic: str | None = None
    client: str | None = None
    followers: bool = False
    limit: int = LIMIT_DEFAULT
    correlation: int | None = None

    def matches(
        self,
        api: str,
        client_id: str | None,
        correlation_id: int,
        follower: bool,
        topics: Iterable[str],
    ) -> bool:
        """Whether a request is selected; a client id matches also in its printable form."""
        return (
            self.api in (None, api)
            and (self.client in (None, client_id) or self._is_printable_form_of(client_id))
            and self.correlation in (None, correlation_id)
            and (self.followers or not follower)
            and self.topic in (None, *topics)
        )

    def _is_printable_form_of(self, client_id: str | None) -> bool:
        return client_id is not None and self.client == printable(client_id)


@dataclass(frozen=True, slots=True)
class ShareQuery:
    """Selects share partitions; None matches any. ``batches`` limits those of each."""

    group: str | None = None
    topic: str | None = None
    partition: int | None = None
    limit: int = LIMIT_DEFAULT
    batches: int = LIMIT_DEFAULT

    def matches(self, group: str, topic: str, partition: int) -> bool:
        """Whether a share partition is selected; a group matches also in its printable form."""
        return (
            self.topic in (None, topic)
            and self.partition in (None, partition)
            and self.group in (None, group, printable(group))
        )


class Facts(Protocol):
    """The broker as the admin interface knows it; each call returns new values."""

    changes: StateChanges
    clock: ClockFacts
    faults: FaultRules
    maintenance: PartitionWork
    # The parts of the live page, by name; each call reads the present state.
    live_parts: Mapping[str, Callable[[], LivePart]]

    async def cluster(self) -> JsonObject:
        """Nodes, topics, leaders, in-sync sets and offsets; other tasks run meanwhile."""
        ...

    def node(self, node_id: int) -> JsonObject | None:
        """A node, as `cluster` has it; None if there is none of that id."""
        ...

    def topic_names(self) -> list[str]:
        """The names of all topics."""
        ...

    def topic(self, name: str) -> JsonObject | None:
        """A topic, as `cluster` has it; None if it does not exist."""
        ...

    def partitions(self, topic: str | None, partition: int | None) -> Iterator[JsonObject]:
        """The selected partitions, as `cluster` has them, with ``topic``; None selects all."""
        ...

    def statistics(self) -> JsonObject:
        """Counts of the nodes and of what they share."""
        ...

    def timers(self) -> JsonObject:
        """{"timers": [{"node", ...}]}: a snapshot of each timer of the running nodes."""
        ...

    def metrics(self) -> str:
        """Metrics of the running nodes in Prometheus' text format, for `GET /metrics`."""
        ...

    def groups(self, group: str | None = None, limit: int = LIMIT_MAX) -> list[JsonObject]:
        """Groups with members, assignments and offsets (`broker.admin.facts.groups`)."""
        ...

    def connections(self, client: str | None, followers: bool, limit: int) -> list[JsonObject]:
        """Open connections (`broker.admin.facts.connections`)."""
        ...

    def topic_on_nodes(self, topic: str) -> list[JsonObject]:
        """What each running node knows of a topic (`broker.admin.facts.topic_on_nodes`)."""
        ...

    def mark(self) -> str:
        """A mark of the requests that have begun so far."""
        ...

    def requests_since(self, mark: str | None) -> Mapping[Counted, int] | None:
        """How many requests have begun since *mark*, or since the start of the broker.

        None if the mark is not known.
        """
        ...

    def sessions(self, group: str | None, limit: int) -> JsonObject:
        """{"sessions": [...]}: the timeouts of members of *group* or of all groups."""
        ...

    def share_partitions(self, query: ShareQuery) -> list[JsonObject]:
        """Share partitions by group, topic and partition (`facts.share_partitions`)."""
        ...

    def transactions(self, hanging: bool, limit: int) -> JsonObject:
        """{"transactions": [...]}: open transactions, or those that hang.

        Raises `WrongState` if it is not known which ones hang.
        """
        ...

    async def abort_transaction(self, topic: str, partition: int, producer_id: int) -> JsonObject:
        """Abort a hanging transaction; its facts. Raises `WrongState` if it does not hang."""
        ...

    def requests(self, query: RequestQuery) -> list[JsonObject]:
        """The requests that match, the longest waiting or the last completed first.

        Raises `NotServed` if completed requests are not recorded.
        """
        ...

    def pause(self, node_id: int) -> None:
        """See `Cluster.pause`; raises `NoSuchNode` or `WrongState`."""
        ...

    def resume(self, node_id: int) -> None:
        """See `Cluster.resume`; raises `NoSuchNode` or `WrongState`."""
        ...

    async def stop(self, node_id: int) -> None:
        """See `Cluster.stop`; raises `NoSuchNode` or `WrongState`."""
        ...

    async def shut_down(self, node_id: int) -> None:
        """See `Cluster.shut_down`; raises `NoSuchNode` or `WrongState`."""
        ...

    async def start(self, node_id: int) -> None:
        """See `Cluster.start`; raises `NoSuchNode` or `WrongState`."""
        ...

    async def reset(self, prefix: str | None) -> JsonObject:
        """Remove what clients have made, or only what has a prefix; what was removed.

        Raises `WrongState` if that is not possible now.
        """
        ...
