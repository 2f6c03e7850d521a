"""The broker in a container, for users of testcontainers.

    with BrokerContainer(brokers=3, topics=["orders:1:3"]) as broker:
        producer = Producer({"bootstrap.servers": broker.get_bootstrap_server()})
        broker.handle.pause(3)

It needs `pip install 'antechamber[testcontainers]'`, a Docker engine, and the image that
docker/Dockerfile builds.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterable, Mapping
from typing import Any, Self

from docker.errors import APIError
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from antechamber.admin_client import AdminClient
from antechamber.admin_endpoint import TOKEN_VARIABLE
from antechamber.broker_process import StartError
from antechamber.handle import Handle
from antechamber.topics import Topics, named_topics

IMAGE = "antechamber"
START_TIMEOUT_S = 30
# The ports in the container; the nodes have consecutive ones of each listener.
CLIENTS_PORT, NETWORK_PORT, ADMIN_PORT = 9092, 19092, 9644
_READY = "antechamber is ready: "
_PORTS = 1 << 16
_START_ATTEMPTS = 5
_PORT_TAKEN = ("port is already allocated", "address already in use")


class BrokerContainer(DockerContainer):
    """A cluster of *brokers* nodes in a container.

        topics, config, record: as those of `antechamber.Cluster`.
        options: further options of ``antechamber serve``.
        start_timeout: the seconds within which it must be ready.
        keywords: arguments of ``DockerContainer``, such as ``network``.

    It has a listener for clients of the host, `bootstrap`, and one for other containers of its
    network, `network_bootstrap`. `start` waits until both serve. It raises `StartError` with the
    broker's error message if the start fails.

    A broker must know its advertised addresses before it starts. Therefore ports of the host are
    chosen first, and others if the engine reports that one was taken meanwhile.
    """

    def __init__(
        self,
        image: str = IMAGE,
        *,
        brokers: int = 1,
        topics: Topics = (),
        config: Mapping[str, str] | None = None,
        record: bool = False,
        options: Iterable[str] = (),
        start_timeout: float = START_TIMEOUT_S,
        **keywords: Any,
    ) -> None:
        super().__init__(image, **keywords)
        self._brokers = brokers
        self._start_timeout_s = start_timeout
        self._options = [*options, *(["--record"] if record else [])]
        self._topics, self._config = topics, dict(config or {})
        self._token = secrets.token_urlsafe()
        self._first_port = 0
        self._handle: Handle | None = None
        self.with_env(TOKEN_VARIABLE, self._token)
        self.with_exposed_ports(ADMIN_PORT)
        ready = LogMessageWaitStrategy(_READY).with_startup_timeout(round(start_timeout))
        self.waiting_for(ready)

    def start(self) -> Self:
        """Start it, and wait until it is ready."""
        if self._network is not None and not self._network_aliases:
            self.with_network_aliases(f"antechamber-{secrets.token_hex(4)}")
        for attempt in range(1, _START_ATTEMPTS + 1):
            self._publish(free_ports(self._brokers))
            try:
                super().start()
            except APIError as error:
                if attempt == _START_ATTEMPTS or not _is_taken(error):
                    raise
                self.get_wrapped_container().remove(force=True, v=True)
            except (RuntimeError, TimeoutError):
                raise StartError(self._complaint()) from None
            else:
                break
        url = f"http://{self.get_container_host_ip()}:{self.get_exposed_port(ADMIN_PORT)}"
        self._handle = Handle(AdminClient(url, token=self._token))
        return self

    @property
    def bootstrap(self) -> str:
        """The bootstrap servers for clients of the host."""
        return self._servers(self._host, self._first_port)

    def get_bootstrap_server(self) -> str:
        """Return `bootstrap`, under the name of testcontainers' ``KafkaContainer``."""
        return self.bootstrap

    @property
    def network_bootstrap(self) -> str:
        """The bootstrap servers for other containers of its network; needs *network*."""
        if not self._network_aliases:
            raise ValueError("the container is in no network: BrokerContainer(network=...)")
        return self._servers(self._network_aliases[0], NETWORK_PORT)

    @property
    def handle(self) -> Handle:
        """The state, faults and waits of the running cluster."""
        if self._handle is None:
            raise RuntimeError("the container has not been started")
        return self._handle

    @property
    def admin_token(self) -> str:
        """The bearer token of the admin interface, whose URL is ``handle.admin``."""
        return self._token

    @property
    def _host(self) -> str:
        """The host on which the engine publishes ports; available before the container exists."""
        return str(self.get_docker_client().host())

    def _publish(self, ports: range) -> None:
        self._first_port = ports.start
        for index, port in enumerate(ports):
            self.with_bind_ports(CLIENTS_PORT + index, port)
        alias = (self._network_aliases or ["localhost"])[0]
        listeners = listener_config(f"{self._host}:{ports.start}", f"{alias}:{NETWORK_PORT}")
        options = serve_options(self._brokers, self._topics, {**listeners, **self._config})
        self.with_command([*options, *self._options])

    def _servers(self, host: str, first: int) -> str:
        return ",".join(f"{host}:{first + index}" for index in range(self._brokers))

    def _complaint(self) -> str:
        """The last line of the broker's stderr."""
        stderr = self.get_wrapped_container().logs(stdout=False).decode(errors="replace").strip()
        last = stderr.rpartition("\n")[2]
        return last or f"the broker was not ready within {self._start_timeout_s} s"


def listener_config(clients: str, network: str) -> dict[str, str]:
    """The settings of both listeners, with their advertised addresses of the first node."""
    return {
        "listeners": f"CLIENTS://:{CLIENTS_PORT},NETWORK://:{NETWORK_PORT}",
        "advertised.listeners": f"CLIENTS://{clients},NETWORK://{network}",
        "listener.security.protocol.map": "CLIENTS:PLAINTEXT,NETWORK:PLAINTEXT",
        "inter.broker.listener.name": "NETWORK",
    }


def serve_options(brokers: int, topics: Topics, config: Mapping[str, str]) -> list[str]:
    """The arguments of ``antechamber serve``."""
    words = ["--brokers", str(brokers)]
    words += ["--admin-host", "0.0.0.0", "--admin-port", str(ADMIN_PORT)]  # noqa: S104 - in the container
    words += ["--admin-protocol", "http"]
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
        if ports.stop <= _PORTS and all(map(is_free, ports)):
            return ports


def is_free(port: int) -> bool:
    """Whether no socket of 127.0.0.1 has *port* now."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _is_taken(error: APIError) -> bool:
    return any(words in str(error) for words in _PORT_TAKEN)
