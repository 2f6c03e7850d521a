"""`Cluster`: a broker for tests, started, inspected, faulted and stopped from Python.

    with antechamber.Cluster(brokers=3, topics=["orders:1:3"]) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap})
        kafka.pause(3)
        producer.produce("orders", b"one")
        kafka.wait_parked("Produce", topic="orders")
        kafka.resume(3)

The broker itself waits for conditions and responds when they hold, so that tests need no sleeps.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from antechamber.admin_client import REQUESTS_MAX, AdminClient, NoBroker, Parameters
from antechamber.broker_process import BrokerProcess
from antechamber.topics import Topics, named_topics

START_TIMEOUT_S = 30.0
WAIT_TIMEOUT_S = 5.0

_ENDING_S = 1.0  # the time between closed connections and the end of a process

Setting = str | int | float | bool


class Node(NamedTuple):
    """A broker node and its address for clients."""

    id: int
    host: str
    port: int


class Cluster:
    """A cluster of *brokers* nodes in a child process, which ends with this process.

        config: settings by Kafka's names, such as ``{"min.insync.replicas": 2}``.
        topics: created at the start, each ``NAME[:PARTITIONS[:REPLICATION]]``, or a mapping of
        names to numbers of partitions.
        data_dir: the directory of the logs; by default a temporary one that is deleted at the end.
        properties: a file of settings in Java's syntax; *config* overrides it.
        record: keep a wait record of each request for `requests`; *records* also writes them to a
        file, *records_topic* to a topic of the cluster.

    The constructor waits until the cluster is ready. It raises `StartError` with the broker's error
    message if the start fails or takes longer than *start_timeout* seconds. Stop the cluster with
    `close`, or use it in a ``with`` statement.
    """

    def __init__(
        self,
        brokers: int = 1,
        *,
        config: Mapping[str, Setting] | None = None,
        topics: Topics = (),
        data_dir: str | os.PathLike[str] | None = None,
        properties: str | os.PathLike[str] | None = None,
        record: bool = False,
        records: str | os.PathLike[str] | None = None,
        records_topic: str | None = None,
        start_timeout: float = START_TIMEOUT_S,
    ) -> None:
        arguments = ["--brokers", str(brokers)]
        if data_dir is not None:
            arguments += ["--data-dir", os.fspath(data_dir)]
        if properties is not None:
            arguments += ["--properties", os.fspath(properties)]
        if record:
            arguments += ["--record"]
        if records is not None:
            arguments += ["--records", os.fspath(records)]
        if records_topic is not None:
            arguments += ["--records-topic", records_topic]
        for key, value in (config or {}).items():
            arguments += ["-c", f"{key}={_written(value)}"]
        for topic in named_topics(topics):
            arguments += ["--topic", topic]
        self._keeps_data = data_dir is not None
        self._process = BrokerProcess(arguments, start_timeout)
        self._client = _Client(self._process)

    # ------------------------------------------------------------------------------- facts

    @property
    def bootstrap(self) -> str:
        """The bootstrap servers for clients: ``HOST:PORT,HOST:PORT,...``."""
        return str(self._process.ready["bootstrap"])

    @property
    def admin(self) -> str:
        """The URL of the admin interface."""
        return self._client.url

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes, with ids from 1."""
        return tuple(Node(**each) for each in self._process.ready["nodes"])

    @property
    def data_dir(self) -> Path:
        """The directory of the logs."""
        return Path(self._process.ready["data_dir"])

    @property
    def pid(self) -> int:
        """The process id of the broker."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the broker's process is running."""
        return self._process.exit_code() is None

    def cluster(self) -> dict[str, Any]:
        """Return nodes, topics, leaders, in-sync replicas and offsets, as ``GET /v1/cluster``."""
        return self._client.cluster()

    def parked(
        self, api: str | None = None, topic: str | None = None, client: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the waiting requests and their conditions; the fields of ``GET /v1/requests``."""
        return self._client.requests(
            parked=1, api=api, topic=topic, client=client, limit=REQUESTS_MAX
        )

    def requests(
        self, api: str | None = None, topic: str | None = None, client: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the wait records of the latest 10,000 requests, latest first; needs *record*."""
        return self._client.requests(api=api, topic=topic, client=client, limit=REQUESTS_MAX)

    # ------------------------------------------------------------------------ transactions

    def transactions(self) -> list[dict[str, Any]]:
        """Return the open transactions, the oldest first, as ``GET /v1/transactions``."""
        return self._client.transactions(limit=REQUESTS_MAX)

    def hanging_transactions(self) -> list[dict[str, Any]]:
        """Return the transactions that are open in a partition and unknown to the coordinators."""
        return self._client.transactions(hanging=1, limit=REQUESTS_MAX)

    def abort_transaction(self, topic: str, partition: int, producer_id: int) -> dict[str, Any]:
        """Abort a hanging transaction in a partition, and return it.

        Raises `AdminError` if it does not hang.
        """
        return self._client.abort_transaction(topic, partition, producer_id)

    # ------------------------------------------------------------------------------ faults

    def pause(self, node: int) -> None:
        """Stop the fetches of the node's followers; the node still serves as a leader."""
        self._client.order(node, "pause")

    def resume(self, node: int) -> None:
        """Resume the fetches of the node's followers."""
        self._client.order(node, "resume")

    def stop(self, node: int) -> None:
        """End the node as ``kill -9`` does; the others continue."""
        self._client.order(node, "stop")

    def start(self, node: int) -> None:
        """Start a stopped node again, with its own logs."""
        self._client.order(node, "start")

    # ------------------------------------------------------------------------------- waits
    # # Each raises `TimeoutError` with the missing condition and the present state.

    def wait_parked(
        self,
        api: str | None = None,
        topic: str | None = None,
        count: int = 1,
        timeout: float = WAIT_TIMEOUT_S,
        *,
        client: str | None = None,
    ) -> list[dict[str, Any]]:
        """Wait until at least *count* matching requests wait, and return them."""
        found = self._client.wait(
            "parked", timeout, api=api, topic=topic, client=client, count=count
        )
        return list(found["requests"])

    def wait_high_watermark(
        self,
        topic: str | None = None,
        partition: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> None:
        """Wait until all records are replicated: the high watermark equals the log end offset.

        In every partition, unless a topic or one of its partitions is named.
        """
        self._client.wait("hw", timeout, topic=topic, partition=partition)

    def wait_in_sync(
        self,
        topic: str | None = None,
        partition: int | None = None,
        count: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> None:
        """Wait until all replicas are in sync, or exactly *count* of them.

        In every partition, unless a topic or one of its partitions is named.
        """
        self._client.wait("isr", timeout, topic=topic, partition=partition, count=count)

    def wait_group_stable(
        self, group: str, members: int = 1, timeout: float = WAIT_TIMEOUT_S
    ) -> None:
        """Wait until the group is stable, with at least *members* members."""
        self._client.wait("group_stable", timeout, group=group, count=members)

    # --------------------------------------------------------------------------------- end

    def close(self) -> None:
        """Stop the broker, and delete its logs if their directory is temporary."""
        if self._process.stop() != 0 and not self._keeps_data:
            shutil.rmtree(self.data_dir, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Client(AdminClient):
    """A client that reports the exit code and last error of a process that has ended."""

    def __init__(self, process: BrokerProcess) -> None:
        super().__init__(process.ready["admin"])
        self._process = process

    def call(
        self, method: str, path: str, wanted: Parameters | None = None, wait_s: float = 0.0
    ) -> Any:
        """See `AdminClient`."""
        try:
            return super().call(method, path, wanted, wait_s)
        except NoBroker:
            code = self._process.exit_code(within_s=_ENDING_S)
            if code is None:
                raise
            last = self._process.stderr().rpartition("\n")[2]
            words = f"the broker has ended with exit code {code}" + (f": {last}" if last else "")
            raise NoBroker(words) from None


def _written(value: Setting) -> str:
    """The value in the syntax of Kafka's configuration."""
    return str(value).lower() if isinstance(value, bool) else str(value)
