"""The compose file, with every Compose on the PATH: the plugin of Docker, and `docker-compose`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial

import pytest

from integration.containers.image import ROOT, broker_image
from integration.containers.network_client import brokers_in_network
from integration.machine.deadlines import eventually
from integration.machine.requirements import need
from integration.processes.server_process import free_ports
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata
from integration.wire.topics import make_topic

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]

COMMANDS = (["docker", "compose"], ["docker-compose"])
WITHIN_SECONDS = 120


class Project:
    """The services of the compose file, under a name and a port of their own."""

    def __init__(self, command: Sequence[str]) -> None:
        (port,) = free_ports(1)
        self.bootstrap = f"127.0.0.1:{port}"
        name = f"antechamber-{port}"
        self.network = f"{name}_default"
        file = str(ROOT / "docker" / "compose.yaml")
        self._command = [*command, "--project-name", name, "--file", file]
        self._variables = {**os.environ, "PORT": str(port), "ADVERTISED_HOST": "127.0.0.1"}

    def run(self, *arguments: str) -> None:
        """Run a command of Compose, which must succeed."""
        done = subprocess.run(
            [*self._command, *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=WITHIN_SECONDS,
            env=self._variables,
        )
        assert done.returncode == 0, done.stderr[-2000:]

    def topics(self) -> list[str]:
        """The topics that a client on this machine sees; none while the broker does not respond."""
        try:
            with Connection(self.bootstrap) as connection:
                return sorted(read_metadata(connection.request(metadata(None))).topics)
        except (EOFError, OSError):
            return []


def _is_there(command: Sequence[str]) -> bool:
    try:
        done = subprocess.run([*command, "version"], capture_output=True, timeout=60, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


@pytest.fixture(params=COMMANDS, ids=" ".join)
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    """The running broker service."""
    name = " ".join(request.param)
    need(name, None if _is_there(request.param) else f"{name} is not installed")
    broker_image()
    project = Project(request.param)
    try:
        project.run("up", "--detach", "--no-build", "broker")
        yield project
    finally:
        project.run("down", "--volumes")


def test_the_broker_serves_both_networks_and_keeps_its_logs(project: Project) -> None:
    """Clients here and in other services get their address; a restart keeps the topics."""
    eventually(partial(_serves, project), "the records topic", within=WITHIN_SECONDS)
    with Connection(project.bootstrap) as connection:
        assert read_metadata(connection.request(metadata([]))).brokers == [
            (1, *_split(project.bootstrap))
        ]
        make_topic(connection, "orders")
    assert brokers_in_network(project.network, "broker:9192") == "broker:9192"

    project.run("restart", "broker")

    eventually(lambda: "orders" in project.topics(), "the topic", within=WITHIN_SECONDS)


def _serves(project: Project) -> bool:
    return "records" in project.topics()


def _split(bootstrap: str) -> tuple[str, int]:
    host, _, port = bootstrap.partition(":")
    return host, int(port)
