"""Topics, records and groups of one shape on the broker.

Names are the same on every broker, so that outcomes can be compared.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache, cached_property
from typing import Any

from integration.machine.deadlines import eventually
from integration.methods.watched import Watched
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.groups import (
    COORDINATOR_NOT_AVAILABLE,
    TRANSACTION,
    commit_offset,
    find_coordinator,
)
from integration.wire.requests import produce, read_produce
from integration.wire.topics import auto_create_topic, make_topic

PARTITIONS = 2
VALUES = (b"one", b"two", b"three")
STEP_MS = 1000  # between the timestamps of records

# Kafka may load the partition of the group meanwhile.
_COMMITS_WITHIN_S = 120.0


@cache
def _have_a_coordinator(bootstrap: str) -> None:
    """Wait until the coordinator of groups is active, by committing an offset."""
    with Connection(bootstrap) as connection:
        auto_create_topic(connection, "warm-up")
        eventually(
            lambda: commit_offset(connection, "warm-up", "warm-up", 0, 0) == 0,
            "a commit",
            within=_COMMITS_WITHIN_S,
        )


class Fixtures:
    """The topics, groups and clients of one call of a method, made when they are first used.

    client_id: the id of its clients, and with other separators the prefix of all names.
    make: makes a client of these fixtures and a configuration; an awaitable if *asynchronous*.
    close: closes a client, even a closed one; an awaitable if *asynchronous*.
    """

    def __init__(
        self,
        bootstrap: str,
        client_id: str,
        make: Callable[[Fixtures, Mapping[str, Any]], Any],
        close: Callable[[Any], Any],
        *,
        asynchronous: bool = False,
    ) -> None:
        self.bootstrap = bootstrap
        self.client_id = client_id
        self.used: set[str] = set()
        self._make = make
        self._close = close
        self._asynchronous = asynchronous
        self._prefix = re.sub("[ /]", ".", f"{self.client_id}.")
        self._clients: list[Any] = []

    @cached_property
    def topic(self) -> str:
        """A topic of two partitions, with three records in the first one."""
        name = self.empty_topic("topic", PARTITIONS)
        first_ms = self.times_ms[0]
        with Connection(self.bootstrap) as connection:
            for number, value in enumerate(VALUES):
                sent = batch([value], timestamp_ms=first_ms + number * STEP_MS)
                assert read_produce(connection.request(produce(name, 0, sent))).error == 0
        return name

    @cached_property
    def times_ms(self) -> list[int]:
        """The timestamps of the topic's records."""
        now_ms = int(time.time()) * 1000
        return [now_ms - (len(VALUES) - number) * STEP_MS for number in range(len(VALUES))]

    @cached_property
    def group(self) -> str:
        """A group without members that has committed offset 1 of the topic's first partition."""
        name = self.named("group")
        with Connection(self.bootstrap) as connection:
            eventually(
                lambda: commit_offset(connection, name, self.topic, 0, 1) == 0,
                "a commit",
                within=_COMMITS_WITHIN_S,
            )
        return name

    @cached_property
    def new_group(self) -> str:
        """The id of a group that does not exist."""
        _have_a_coordinator(self.bootstrap)
        return self.named("new-group")

    @cached_property
    def transaction(self) -> str:
        """An unused transactional id, whose coordinator is active if the broker supports it."""
        name = self.named("transaction")

        def is_ready() -> bool:
            error = find_coordinator(connection, name, TRANSACTION)
            return error != COORDINATOR_NOT_AVAILABLE

        with Connection(self.bootstrap) as connection:
            eventually(is_ready, "a transaction coordinator")
        return name

    @property
    def absent(self) -> str:
        """The name of nothing."""
        return self.named("absent")

    def named(self, what: str) -> str:
        """Return a name that only this shape has."""
        return f"{self._prefix}{what}"

    def empty_topic(
        self, what: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> str:
        """Create a topic without records, and return its name."""
        name = self.named(what)
        with Connection(self.bootstrap) as connection:
            make_topic(connection, name, partitions=partitions, configs=configs)
        return name

    def is_mine(self, name: object) -> bool:
        """Whether a name belongs to this shape; other shapes use the same broker."""
        return str(name).startswith(self._prefix)

    def mine(self, names: Iterable[Any]) -> Any:
        """Return the names, or the items of a mapping, that belong to this shape."""
        if isinstance(names, Mapping):
            return {name: value for name, value in names.items() if self.is_mine(name)}
        return sorted(name for name in names if self.is_mine(name))

    def make(self, **settings: Any) -> Any:
        """Return another client with these settings; an awaitable if *asynchronous*."""
        return self.client(settings)

    def client(self, settings: Mapping[str, Any]) -> Any:
        """Return a client that notes the used methods; see `make`."""
        made = self._make(self, settings)
        return self._awaited(made) if self._asynchronous else self._watched(made)

    def close(self) -> None:
        """Close all clients, ignoring errors of closed and failed ones."""
        for client in reversed(self._clients):
            with suppress(Exception):
                self._close(client)

    async def aclose(self) -> None:
        """Close all clients of an asynchronous class; see `close`."""
        for client in reversed(self._clients):
            with suppress(Exception):
                await self._close(client)

    async def _awaited(self, made: Awaitable[Any]) -> Watched:
        return self._watched(await made)

    def _watched(self, client: Any) -> Watched:
        self._clients.append(client)
        return Watched(client, self.used)
