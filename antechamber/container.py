"""The broker in a container, for users of testcontainers.

    with BrokerContainer(topics=["orders:3"]) as broker:
        producer = Producer({"bootstrap.servers": broker.bootstrap})

It needs `pip install 'antechamber[testcontainers]'`, a Docker engine, and the image that
docker/Dockerfile builds.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from typing import Any, Self

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from antechamber.topics import Topics, named_topics

IMAGE = "antechamber"
START_TIMEOUT_S = 30
_READY = "antechamber is ready: "
_PORTS = 1 << 16


class BrokerContainer(DockerContainer):
    """A broker of one or more nodes; `start` waits until it is ready.

    The broker must know its advertised addresses before it starts. Therefore ports of the host are
    chosen in advance and published under the same numbers. ``options`` are further options of
    ``antechamber serve``, ``keywords`` arguments of ``DockerContainer``.
    """

    def __init__(
        self,
        image: str = IMAGE,
        *,
        brokers: int = 1,
        topics: Topics = (),
        config: Mapping[str, str] | None = None,
        options: Iterable[str] = (),
        **keywords: Any,
    ) -> None:
        super().__init__(image, **keywords)
        self._arguments = [*options, *serve_options(brokers, topics, config or {})]
        self._ports = range(0)
        self._brokers = brokers
        ready = LogMessageWaitStrategy(_READY).with_startup_timeout(START_TIMEOUT_S)
        self.waiting_for(ready)

    def start(self) -> Self:
        """Start it, and wait for the line that reports it ready."""
        self._ports = free_ports(self._brokers)
        for port in self._ports:
            self.with_bind_ports(port, port)
        address = ["--port", str(self._ports[0]), "--advertise", self._host]
        self.with_command([*address, *self._arguments])
        super().start()
        return self

    @property
    def bootstrap(self) -> str:
        """The bootstrap servers for clients."""
        return ",".join(f"{self._host}:{port}" for port in self._ports)

    @property
    def _host(self) -> str:
        """The host on which the engine publishes ports; available before the container exists."""
        return str(self.get_docker_client().host())


def serve_options(brokers: int, topics: Topics, config: Mapping[str, str]) -> list[str]:
    """The arguments of ``antechamber serve``."""
    words = ["--brokers", str(brokers), "--admin-port", "0"]
    for topic in named_topics(topics):
        words += ["--topic", topic]
    for key, value in config.items():
        words += ["--config", f"{key}={value}"]
    return words


def free_ports(count: int) -> range:
    """Return *count* consecutive ports on which no socket listens now."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port: int = first.getsockname()[1]
        ports = range(port, port + count)
        if ports.stop <= _PORTS and all(map(_is_free, ports)):
            return ports


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
