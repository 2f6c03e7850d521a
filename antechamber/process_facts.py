"""`ReadyFacts` and `ProcessFacts`: what is known of a broker on this machine after its start."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antechamber.broker_process import BrokerProcess
from antechamber.client_settings import client_settings
from antechamber.handle import Node
from antechamber.sentences.phrases import counted
from antechamber.topics import Topics, named_topics

START_TIMEOUT_S = 30.0

Setting = str | int | float | bool | Sequence[str]


class ReadyFacts:
    """The addresses and files of a broker; *ready* is the content of its ready file."""

    def __init__(self, ready: Mapping[str, Any]) -> None:
        self._ready = ready

    @property
    def bootstrap(self) -> str:
        """The bootstrap servers for clients: ``HOST:PORT,HOST:PORT,...``."""
        return str(self._ready["bootstrap"])

    @property
    def listeners(self) -> dict[str, str]:
        """The bootstrap servers of each listener, by its name.

        `bootstrap` is the listener of ``inter.broker.listener.name``.
        """
        return dict(self._ready["listeners"])

    @property
    def tls_files(self) -> dict[str, Path]:
        """The paths of the certificates of *tls*, by name; empty without *tls*.

        ``ca``, ``client_certificate``, ``client_key``, and ``client_key_store``, which has both;
        ``key_store`` is the broker's.
        """
        return {name: Path(path) for name, path in self._ready["tls"].items()}

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
        return tuple(Node(**each) for each in self._ready["nodes"])

    @property
    def data_dir(self) -> Path:
        """The directory of the logs."""
        return Path(self._ready["data_dir"])


class ProcessFacts(ReadyFacts):
    """What is known of a broker in a child process."""

    def __init__(self, process: BrokerProcess, keeps_data: bool) -> None:
        super().__init__(process.ready)
        self._process = process
        self._keeps_data = keeps_data

    def __repr__(self) -> str:
        name = type(self).__name__
        if not hasattr(self, "_process"):  # as an `AsyncCluster` before ``async with``
            return f"<{name}: not started>"
        nodes = counted(len(self.nodes), "broker")
        state = "open" if self.is_running else "closed"
        return f"<{name}: {self.bootstrap}, {nodes}, {state}>"

    @property
    def ready(self) -> dict[str, Any]:
        """The content of the broker's ready file."""
        return dict(self._process.ready)

    @property
    def pid(self) -> int:
        """The process id of the broker."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the broker's process is running."""
        return self._process.exit_code() is None

    def _remove_data(self, exit_code: int) -> None:
        """Delete the temporary directory of a broker that has not deleted it itself."""
        if exit_code != 0 and not self._keeps_data:
            shutil.rmtree(self.data_dir, ignore_errors=True)


def serve_arguments(
    brokers: int,
    *,
    racks: Sequence[str],
    config: Mapping[str, Setting] | None,
    topics: Topics,
    faults: str | os.PathLike[str] | None,
    tls: bool,
    data_dir: str | os.PathLike[str] | None,
    properties: str | os.PathLike[str] | None,
    record: bool,
    records: str | os.PathLike[str] | None,
    records_topic: str | None,
    request_log: str | os.PathLike[str] | None,
    otlp: str | None,
) -> list[str]:
    """The options of ``antechamber serve`` for the parameters of `Cluster`.

    Raises `TypeError` for a value of another type, and `ValueError` for a rack with a comma.
    """
    arguments = ["--brokers", str(brokers), *_rack_options(racks)]
    if record:
        arguments += ["--record"]
    for option, value in (
        ("--data-dir", data_dir),
        ("--properties", properties),
        ("--records", records),
        ("--records-topic", records_topic),
        ("--request-log", request_log),
        ("--otlp", otlp),
        ("--faults", faults),
    ):
        if value is not None:
            arguments += [option, _path(option, value)]
    if tls:
        arguments += ["--tls"]
    if not isinstance(config, Mapping | None):
        raise TypeError(f"config: {config!r} is not a mapping of Kafka's keys to values")
    for key, setting in (config or {}).items():
        arguments += ["-c", f"{key}={_written(key, setting)}"]
    for topic in named_topics(topics):
        arguments += ["--topic", topic]
    return arguments


def _rack_options(racks: Sequence[str]) -> list[str]:
    if isinstance(racks, str) or not all(isinstance(rack, str) for rack in racks):
        raise TypeError(f"racks: {racks!r} is not a list of texts")
    for rack in racks:
        if "," in rack:
            raise ValueError(f"racks: {rack!r} has a comma; the name of a rack has none")
    return ["--racks", ",".join(racks)] if racks else []


def _path(option: str, value: object) -> str:
    """The value of an option; `TypeError` names the parameter."""
    if not isinstance(value, str | os.PathLike):
        parameter = option.removeprefix("--").replace("-", "_")
        raise TypeError(f"{parameter}: {value!r} is neither text nor a path")
    return os.fspath(value)


def _written(key: str, value: Setting) -> str:
    """The value in the syntax of Kafka's configuration, in which a list has commas."""
    if value is None:
        raise TypeError(f"config: {key}: None is no value; leave the key out for its default")
    if isinstance(value, list | tuple):
        return ",".join(_written(key, each) for each in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
