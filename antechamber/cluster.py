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
from collections.abc import Mapping, Sequence
from typing import Any, Self

from antechamber.admin_client import AdminClient
from antechamber.admin_errors import NoBroker
from antechamber.admin_http import Body, Parameters
from antechamber.broker_process import BrokerProcess
from antechamber.handle import Handle
from antechamber.process_facts import START_TIMEOUT_S, ProcessFacts, Setting, serve_arguments
from antechamber.topics import Topics


class Cluster(ProcessFacts, Handle):
    """A cluster of *brokers* nodes in a child process, which ends with this process.

    racks: the racks of the nodes in the order of their ids; if there are fewer, in turn.
    config: settings by Kafka's names, such as ``{"min.insync.replicas": 2}``.
    topics: created at the start, each ``NAME[:PARTITIONS[:REPLICATION]]``, or a mapping of
    names to numbers of partitions.
    faults: a file with a schedule of fault rules, in YAML or JSON.
    data_dir: the directory of the logs; by default a temporary one that is deleted at the end.
    tls: use TLS, with certificates that exist until the broker stops; ``client_settings`` has
    what clients need.
    properties: a file of settings in Java's syntax; *config* overrides it.
    record: keep a wait record of each request for `requests`; *records* also writes them to a
    file, *records_topic* to a topic of the cluster, *request_log* to a file in the form of
    Kafka's request log, and *otlp* as spans to the collector of OpenTelemetry at this address.

    The constructor waits until the cluster is ready. It raises `StartError` with the broker's error
    message if the start fails or takes longer than *start_timeout* seconds; None is no limit.
    Stop the cluster with `close`, or use it in a ``with`` statement.
    """

    def __init__(
        self,
        brokers: int = 1,
        *,
        racks: Sequence[str] = (),
        config: Mapping[str, Setting] | None = None,
        topics: Topics = (),
        faults: str | os.PathLike[str] | None = None,
        tls: bool = False,
        data_dir: str | os.PathLike[str] | None = None,
        properties: str | os.PathLike[str] | None = None,
        record: bool = False,
        records: str | os.PathLike[str] | None = None,
        records_topic: str | None = None,
        request_log: str | os.PathLike[str] | None = None,
        otlp: str | None = None,
        start_timeout: float | None = START_TIMEOUT_S,
    ) -> None:
        __tracebackhide__ = True
        arguments = serve_arguments(
            brokers,
            racks=racks,
            config=config,
            topics=topics,
            faults=faults,
            tls=tls,
            data_dir=data_dir,
            properties=properties,
            record=record,
            records=records,
            records_topic=records_topic,
            request_log=request_log,
            otlp=otlp,
        )
        process = BrokerProcess(arguments)
        process.wait_until_ready(start_timeout)
        ProcessFacts.__init__(self, process, keeps_data=data_dir is not None)
        Handle.__init__(self, _Client(process))

    # --------------------------------------------------------------------------------- end

    def close(self) -> None:
        """Stop the broker, and delete its logs if their directory is temporary."""
        self._remove_data(self._process.stop())

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
        self,
        method: str,
        path: str,
        wanted: Parameters | None = None,
        wait_s: float = 0.0,
        body: Body = None,
    ) -> Any:
        """See `HttpClient`."""
        try:
            return super().call(method, path, wanted, wait_s, body)
        except NoBroker:
            self._process.raise_if_ended()
            raise
