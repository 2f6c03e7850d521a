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
from typing import Any, Self

from antechamber.admin_client import AdminClient, NoBroker, Parameters
from antechamber.broker_process import BrokerProcess
from antechamber.client_settings import client_settings
from antechamber.handle import Handle, Node
from antechamber.topics import Topics, named_topics

START_TIMEOUT_S = 30.0

_ENDING_S = 1.0  # the time between closed connections and the end of a process

Setting = str | int | float | bool


class Cluster(Handle):
    """A cluster of *brokers* nodes in a child process, which ends with this process.

        config: settings by Kafka's names, such as ``{"min.insync.replicas": 2}``.
        topics: created at the start, each ``NAME[:PARTITIONS[:REPLICATION]]``, or a mapping of
        names to numbers of partitions.
        data_dir: the directory of the logs; by default a temporary one that is deleted at the end.
        tls: use TLS, with certificates that exist until the broker stops; `client_settings` has
        what clients need.
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
        tls: bool = False,
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
        if tls:
            arguments += ["--tls"]
        for key, value in (config or {}).items():
            arguments += ["-c", f"{key}={_written(value)}"]
        for topic in named_topics(topics):
            arguments += ["--topic", topic]
        self._keeps_data = data_dir is not None
        self._process = BrokerProcess(arguments, start_timeout)
        super().__init__(_Client(self._process))

    # ------------------------------------------------------------------------------- facts

    @property
    def bootstrap(self) -> str:
        """The bootstrap servers for clients: ``HOST:PORT,HOST:PORT,...``."""
        return str(self._process.ready["bootstrap"])

    @property
    def listeners(self) -> dict[str, str]:
        """The bootstrap servers of each listener, by its name.

        `bootstrap` is the listener of ``inter.broker.listener.name``.
        """
        return dict(self._process.ready["listeners"])

    @property
    def tls_files(self) -> dict[str, Path]:
        """The paths of the certificates of *tls*, by name; empty without *tls*.

        ``ca``, ``client_certificate``, ``client_key``, and ``client_key_store``, which has both;
        ``key_store`` is the broker's.
        """
        return {name: Path(path) for name, path in self._process.ready["tls"].items()}

    def client_settings(self, library: str, *, certificate: bool = False) -> dict[str, Any]:
        """Return the settings of a client that connects to the cluster.

        *library* is ``confluent-kafka``, ``kafka-python``, ``aiokafka``, ``librdkafka`` (also for
        kcat) or ``java``. With *certificate*, the client has a certificate with the name
        ``CN=client``, which needs *tls*. Raises ``ValueError`` for another library.
        """
        return client_settings(library, self.bootstrap, self.tls_files, certificate=certificate)

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
