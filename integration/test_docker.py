"""docker/: the steps of the image without an engine, the compose file, and a container.

The instructions of the image (stages, copies, pip commands) are executed without an engine, each
stage in an environment of its own.
"""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from antechamber.container import IMAGE, BrokerContainer
from broker.command_line.arguments import parse_arguments
from integration.kafka.jars import KAFKA_VERSION
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess, free_ports
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata
from pipeline.arguments import parse as parse_analysis

ROOT = Path(__file__).parents[1]
COMPOSE = ROOT / "docker" / "compose.yaml"
# The keys of the Compose specification that the file may use, and the types of those of a service.
_TOP = {"name", "services", "volumes"}
_SERVICE = {
    "build": dict,
    "command": list,
    "depends_on": dict,
    "environment": dict,
    "image": str,
    "network_mode": str,
    "ports": list,
    "profiles": list,
    "stop_grace_period": str,
    "volumes": list,
}
_CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


class Stage(NamedTuple):
    """A stage of the image: its name, its base, and its instructions."""

    name: str
    base: str
    steps: list[tuple[str, str]]


def _stages() -> dict[str, Stage]:
    text = (ROOT / "docker" / "Dockerfile").read_text()
    stages: dict[str, Stage] = {}
    for line in text.splitlines():
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            base, _, name = rest.partition(" AS ")
            current = stages[name] = Stage(name, base, [])
        elif line and not line.startswith("#"):
            current.steps.append((instruction, rest))
    return stages


def _value(stage: Stage, instruction: str) -> str:
    return [rest for name, rest in stage.steps if name == instruction][-1]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment in which the broker's stages were executed."""
    scratch = tmp_path_factory.mktemp("image")
    wheels = scratch / "wheels"
    stages = _stages()
    for stage in (stages["wheel"], stages["broker"]):
        at = scratch / stage.name
        subprocess.run([sys.executable, "-m", "venv", at], check=True)
        for instruction, rest in stage.steps:
            # Steps that add a user or a system package need an engine.
            if instruction == "RUN" and rest.split()[0] in ("pip", "python"):
                moved = f"{at}/bin/{rest}".replace("/wheels", str(wheels))
                folder = ROOT if stage.name == "wheel" else at
                done = subprocess.run(
                    ["sh", "-c", moved], check=False, cwd=folder, capture_output=True, text=True
                )
                assert done.returncode == 0, done.stderr[-2000:]
    return scratch / "broker" / "bin"


@pytest.fixture
def entered(image: Path, tmp_path: Path) -> Iterator[tuple[ServerProcess, int, Path]]:
    """The running entry point of the image; its port and its ready file."""
    (port,) = free_ports(1)
    words = json.loads(_value(_stages()["broker"], "ENTRYPOINT"))
    ready = tmp_path / "ready.json"
    words = [str(ready) if argument == "/dev/shm/ready.json" else argument for argument in words]
    reported = ["--port", str(port), "--admin-port", "0", "--advertise", "localhost:19092"]
    process = ServerProcess([image / words[0], *words[1:], *reported], tmp_path / "output")
    try:
        eventually(ready.exists, "the ready file", within=20)
        yield process, port, ready
    finally:
        process.stop()


def test_the_entry_point_serves_and_stops(entered: tuple[ServerProcess, int, Path]) -> None:
    """Clients get the advertised address; SIGTERM stops it in order."""
    process, port, ready = entered
    with Connection(f"127.0.0.1:{port}") as connection:
        brokers = read_metadata(connection.request(metadata([]))).brokers

    assert brokers == [(1, "localhost", 19092)]
    assert json.loads(ready.read_text())["bootstrap"] == "localhost:19092"
    process.signal(signal.SIGTERM)
    assert process.wait(10) == 0


def test_the_image_is_small_and_unprivileged() -> None:
    """A slim base, a user other than root, a health check, and an entry point without a shell."""
    for stage in _stages().values():
        assert re.fullmatch(r"python:3\.\d+-slim", stage.base)
    broker = _stages()["broker"]
    instructions = [name for name, _ in broker.steps]

    assert _value(broker, "USER") == "antechamber"
    assert instructions.index("USER") < instructions.index("ENTRYPOINT")
    ready_file = parse_arguments(json.loads(_value(broker, "ENTRYPOINT"))[2:]).ready_file
    assert shlex.split(_value(broker, "HEALTHCHECK"))[-3:] == ["test", "-f", str(ready_file)]
    assert list(_stages())[-1] == "broker"


def test_the_build_context_is_small() -> None:
    """The context contains no environment and no history."""
    ignored = (ROOT / ".dockerignore").read_text().split()

    assert {".git", ".venv"} <= set(ignored)


def test_the_compose_file_is_valid() -> None:
    """Keys and types are those of the Compose specification; referenced names exist."""
    compose = yaml.safe_load(COMPOSE.read_text())
    assert compose.keys() <= _TOP
    for service in compose["services"].values():
        assert all(isinstance(value, _SERVICE[key]) for key, value in service.items())
        assert ("image" in service) != ("build" in service)
        values = [*service.get("command", []), *service.get("environment", {}).values()]
        assert all(isinstance(value, str) for value in values)
        for name, on in service.get("depends_on", {}).items():
            assert name in compose["services"]
            assert on.keys() == {"condition"}
            assert on["condition"] in _CONDITIONS
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in compose["volumes"]
        if "build" in service:
            assert (COMPOSE.parent / service["build"]["context"]).resolve() == ROOT
            assert (ROOT / service["build"]["dockerfile"]).is_file()
            assert service["build"]["target"] in _stages()


@pytest.mark.parametrize("chosen", [{}, {"PORT": "29092", "ADVERTISED_HOST": "broker.example"}])
def test_the_compose_file_has_valid_commands(chosen: dict[str, str]) -> None:
    """The published ports are the advertised ones, for all values of the variables."""
    services = _composed(chosen)
    port = int(chosen.get("PORT", "9092"))

    options = parse_arguments(services["broker"]["command"])
    analysis = parse_analysis(services["pipeline"]["command"])

    assert (options.port, options.advertised_port) == (port, None)
    assert options.advertised_host == chosen.get("ADVERTISED_HOST", "localhost")
    assert services["broker"]["ports"] == [f"{port}:{port}"]
    assert services["pipeline"]["network_mode"] == "service:broker"
    assert analysis.sources == (f"kafka://localhost:{port}/{options.records_topic}",)
    assert analysis.follow


def test_the_compose_file_has_the_tested_kafka() -> None:
    """It advertises the published port."""
    kafka = _composed({"KAFKA_PORT": "5000"})["kafka"]

    assert kafka["image"] == f"apache/kafka:{KAFKA_VERSION}"
    assert kafka["ports"] == ["5000:5000"]
    assert kafka["environment"]["KAFKA_ADVERTISED_LISTENERS"] == "PLAINTEXT://localhost:5000"


@pytest.mark.docker
@pytest.mark.timeout(600)
def test_a_container_serves_clients_outside() -> None:
    """The image is built and started; its advertised address is reachable."""
    build: list[str | Path] = [
        "docker",
        "build",
        "-q",
        "-f",
        ROOT / "docker" / "Dockerfile",
        "-t",
        IMAGE,
        ROOT,
    ]
    subprocess.run(build, check=True, timeout=500)
    with BrokerContainer(brokers=3, topics=["orders:3:3"]) as container:
        with Connection(container.bootstrap.partition(",")[0]) as connection:
            reported = read_metadata(connection.request(metadata([])))

        assert (
            ",".join(f"{host}:{port}" for _, host, port in reported.brokers) == container.bootstrap
        )
        assert container.get_wrapped_container().attrs["Config"]["User"] == "antechamber"
        container.get_wrapped_container().stop(timeout=10)
        assert container.get_wrapped_container().wait()["StatusCode"] == 0


def _composed(variables: dict[str, str]) -> dict[str, Any]:
    """The services with interpolated variables, as Compose does it."""
    text = _VARIABLE.sub(lambda found: variables.get(found[1], found[2]), COMPOSE.read_text())
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    return services
