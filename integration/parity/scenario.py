"""Scenarios, and the cluster as a scenario uses it.

A scenario is a generator: it uses the cluster and yields its observations, one line each. Its name
and the first sentence of its docstring are in docs/reference/parity.md.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import create_topics, new_topic
from integration.parity.client import Client, Pending, Receiver
from integration.parity.formatting import Formatter
from integration.parity.requests import LATEST, fetch, list_offsets
from integration.parity.setups import ONE, Setup
from integration.parity.systems import System
from integration.parity.timing import Events
from integration.security.users import next_user
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

Observations = Iterator[object]


class NotServed(Exception):  # noqa: N818 - the name states the problem
    """The broker does not serve an API."""


class Kafka:
    """A cluster, ours or a real one, for one scenario: connections, and unique names."""

    def __init__(
        self, system: System, receiver: Receiver, unique: str, formatter: Formatter
    ) -> None:
        self.system = system
        self.nodes = system.nodes
        self.bootstrap = ",".join(system.nodes.values())
        self.formatter = formatter
        self._receiver = receiver
        self.unique = unique
        self._numbers = count(1)
        self._events = Events()
        self._open = ExitStack()
        self._clients: dict[int, Client] = {}
        self._harmed: dict[int, Callable[[int], None]] = {}
        self._served: frozenset[int] | None = None

    def connect(
        self,
        node: int = 1,
        client_id: str = "parity",
        *,
        listener: str | None = None,
        context: ssl.SSLContext | None = None,
    ) -> Client:
        """Open a connection to a node, or to a listener of a secured one."""
        to = self.nodes[node] if listener is None else self.system.listeners[listener]
        client = Client(self._receiver, to, self._events, client_id, context)
        return self._open.enter_context(closing(client))

    def request(self, request: Any, version: int | None = None, *, node: int = 1) -> Any:
        """Send a request over the scenario's connection to a node and return the response."""
        self._check(request)
        if node not in self._clients or self._clients[node].ended:
            self._clients[node] = self.connect(node)
        return self._clients[node].request(request, version)

    def start(self, request: Any, version: int | None = None, *, node: int = 1) -> Pending:
        """Send a request that may wait over a connection of its own."""
        self._check(request)
        return self.connect(node).start(request, version)

    def topic(
        self,
        partitions: int = 1,
        *,
        replicas: Sequence[int] = (1,),
        **configs: str,
    ) -> str:
        """Create a topic and wait until its leader serves it and all nodes know it.

        In *configs*, write `_` for `.`.
        """
        name = self.new_name("topic")
        spread = dict.fromkeys(range(partitions), replicas)
        settings = {key.replace("_", "."): value for key, value in configs.items()}
        topic = new_topic(name, replicas=spread, configs=settings)
        (result,) = self.request(create_topics(topic)).topics
        assert result.error_code == 0, result
        for node in self.nodes.keys() - self._harmed.keys():
            eventually(partial(self._is_known, name, partitions, node), f"{name} at {node}")
        eventually(lambda: self._is_led(name, partitions, replicas[0]), f"the leader of {name}")
        self.wait_for_isr(name, replicas, node=replicas[0])
        for node in replicas[1:]:
            eventually(partial(self._is_followed, name, node), f"{node} follows {name}")
        return name

    def settle(self) -> None:
        """Wait until all nodes have applied all earlier changes of the cluster, in all their parts.

        Kafka's nodes apply the changes in order, each to the metadata first. When the metadata has
        a second topic, the node has applied everything before the first one.
        """
        for _ in range(2):
            self.topic()

    def wait_for_isr(self, topic: str, nodes: Sequence[int], *, node: int = 1) -> None:
        """Wait until a node's metadata has exactly these in-sync replicas, in every partition."""

        def in_sync() -> bool:
            partitions = self.metadata(topic, node=node).partitions
            return all(sorted(each.isr_nodes) == sorted(nodes) for each in partitions)

        eventually(in_sync, f"{sorted(nodes)} in sync for {topic}")

    def wait_for_leader(self, topic: str, leader: int) -> None:
        """Wait until the leader of partition 0, in the first node's metadata, serves it."""
        eventually(
            lambda: self.metadata(topic).partitions[0].leader_id == leader,
            f"{leader} leads {topic}",
        )
        if leader in self.nodes:
            eventually(lambda: self._is_led(topic, 1, leader), f"{leader} serves {topic}")

    def new_name(self, kind: str) -> str:
        """Return a unique name."""
        name = f"{self.unique}-{kind}-{next(self._numbers)}"
        self.formatter.name(name, kind)
        return name

    def new_user(self) -> str:
        """Return a user of PLAIN, in a secured setup, that no other scenario uses."""
        user = next_user()
        self.formatter.name(user, "user")
        return user

    def metadata(self, topic: str, *, node: int = 1) -> Any:
        """Return the metadata of one topic at a node, without creating it."""
        requested = MetadataRequest(
            topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
        )
        return self.request(requested, node=node).topics[0]

    def pass_time(self, topic: str, ms: int) -> None:
        """Wait in real time, by a fetch at the end of an empty topic."""
        self.start(fetch(topic, max_wait_ms=ms)).response()

    def pause(self, node: int) -> None:
        """Pause the replication of a node."""
        self._events.happens()
        self._harmed[node] = self.system.resume
        self.system.pause(node)

    def resume(self, node: int) -> None:
        """Resume a paused node."""
        self._events.happens()
        self._harmed.pop(node)(node)

    def crash(self, node: int) -> None:
        """Kill a node."""
        self._events.happens()
        self._harmed[node] = self.system.start
        self.system.stop(node)

    def restart(self, node: int) -> None:
        """Start a killed node."""
        self._events.happens()
        self._harmed.pop(node)(node)

    def close(self) -> None:
        """Close all connections, and resume and start all nodes."""
        self._open.close()
        for node, undo in self._harmed.items():
            undo(node)

    def _check(self, request: Any) -> None:
        if self._served is None:
            self._served = frozenset()
            response = self.request(
                ApiVersionsRequest(client_software_name="x", client_software_version="1"), 3
            )
            self._served = frozenset(each.api_key for each in response.api_keys)
        if self._served and request.__spec__.key not in self._served:
            raise NotServed(type(request).__name__.removesuffix("Request"))

    def _is_known(self, topic: str, partitions: int, node: int) -> bool:
        known = self.metadata(topic, node=node)
        led = [each for each in known.partitions if each.leader_id in self.nodes]
        return known.error_code == 0 and len(led) == partitions

    def _is_led(self, topic: str, partitions: int, leader: int) -> bool:
        response = self.request(list_offsets(topic, *[LATEST] * partitions), node=leader)
        return all(each.error_code == 0 for each in response.topics[0].partitions)

    def _is_followed(self, topic: str, follower: int) -> bool:
        response = self.request(fetch(topic, max_wait_ms=0), 12, node=follower)
        return bool(response.responses[0].partitions[0].error_code == 0)


@dataclass(frozen=True)
class Scenario:
    """A scenario's function, and the setup in which it runs."""

    play: Callable[[Kafka], Observations]
    area_name: str
    setup: Setup
    alone: bool
    slow: bool

    @property
    def name(self) -> str:
        """The function's name."""
        return self.play.__name__

    @property
    def area(self) -> str:
        """The area: the name of its file, as words."""
        return self.area_name.replace("_", " ")

    @property
    def summary(self) -> str:
        """The behaviour, in one sentence."""
        return (self.play.__doc__ or "").strip().splitlines()[0]


SCENARIOS: dict[str, Scenario] = {}


def scenario(
    *, on: Setup = ONE, alone: bool = False, slow: bool = False
) -> Callable[[Callable[[Kafka], Observations]], Callable[[Kafka], Observations]]:
    """Register a scenario.

    *alone*: it stops nodes, so that it must run alone on the cluster. *slow*: it kills nodes,
    which Kafka takes ten seconds to detect, or it needs three nodes of its own.
    """

    def register(play: Callable[[Kafka], Observations]) -> Callable[[Kafka], Observations]:
        area = play.__module__.rpartition(".")[2]
        assert play.__name__ not in SCENARIOS, f"{play.__name__} is registered twice"
        SCENARIOS[play.__name__] = Scenario(play, area, on, alone, slow)
        return play

    return register
