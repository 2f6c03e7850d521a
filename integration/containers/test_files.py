"""The files in docker/ without an engine: the instructions of the image, and the compose file."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from typing import Any

import pytest
import yaml

from broker.command_line.arguments import parse_arguments
from broker.security.listeners.endpoints import configured_listeners
from integration.containers.image import BASE, ROOT
from integration.kafka.jars import KAFKA_VERSION
from pipeline.arguments import parse as parse_analysis

DOCKER = ROOT / "docker"
COMPOSE = DOCKER / "compose.yaml"
# The keys of Compose 1.28 that the file may use, and the types of those of a service.
_TOP = {"services", "volumes"}
_SERVICE = {
    "build": dict,
    "command": list,
    "depends_on": dict,
    "environment": dict,
    "image": str,
    "ports": list,
    "profiles": list,
    "read_only": bool,
    "stop_grace_period": str,
    "volumes": list,
}
_CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


def _instructions(file: str) -> list[tuple[str, str]]:
    """The names and arguments of the instructions of a file, in order."""
    text = (DOCKER / file).read_text().replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def _composed(variables: dict[str, str]) -> dict[str, Any]:
    """The services with interpolated variables, as Compose does it."""
    text = _VARIABLE.sub(lambda found: variables.get(found[1], found[2]), COMPOSE.read_text())
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    return services


def test_the_broker_is_the_last_stage() -> None:
    """A plain build makes it like this; a builder without BuildKit makes no other."""
    stages = [rest for name, rest in _instructions("Dockerfile") if name == "FROM"]

    assert stages == ["$BASE AS packages", "$BASE AS broker"]


@pytest.mark.parametrize("file", ["Dockerfile", "pipeline.dockerfile"])
def test_the_base_is_an_argument(file: str) -> None:
    """Its default is the slim image of a Python version."""
    assert _instructions(file)[0] == ("ARG", f"BASE={BASE}")
    assert re.fullmatch(r"python:3\.\d+-slim", BASE)


def test_the_entry_point_is_a_command_without_a_shell() -> None:
    """Its user is not root, and the health check reads its ready file."""
    instructions = dict(_instructions("Dockerfile"))
    command = json.loads(instructions["ENTRYPOINT"])

    assert instructions["USER"] == "antechamber"
    assert command[:2] == ["antechamber", "serve"]
    ready_file = parse_arguments(command[2:]).ready_file
    assert shlex.split(instructions["HEALTHCHECK"])[-3:] == ["test", "-f", str(ready_file)]


def test_the_build_context_has_what_the_wheel_needs() -> None:
    """The packages and the files of the build, and nothing else."""
    lines = (ROOT / ".dockerignore").read_text().split("\n")
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    packages = set(wheel["targets"]["wheel"]["only-include"])

    assert "*" in lines
    files = {"LICENSE", "README.md", "hatch_build.py", "pyproject.toml"}
    assert {line[1:] for line in lines if line.startswith("!")} == packages | files


def test_the_compose_file_is_valid() -> None:
    """Keys and types are those of the Compose specification; referenced names exist."""
    compose = yaml.safe_load(COMPOSE.read_text())
    assert compose.keys() <= _TOP
    for service in compose["services"].values():
        assert all(isinstance(value, _SERVICE[key]) for key, value in service.items())
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


@pytest.mark.parametrize("chosen", [{}, {"PORT": "29092", "ADVERTISED_HOST": "broker.example"}])
def test_the_compose_file_has_valid_commands(chosen: dict[str, str]) -> None:
    """The published port is advertised to clients, for all values of the variables."""
    services = _composed(chosen)
    host, port = chosen.get("ADVERTISED_HOST", "localhost"), chosen.get("PORT", "9092")

    options = parse_arguments(services["broker"]["command"])
    analysis = parse_analysis(services["pipeline"]["command"])

    advertised = configured_listeners(options.config).advertised
    assert advertised["HOST"][2:] == (host, int(port))
    assert services["broker"]["ports"] == [f"{port}:9092"]
    assert analysis.sources == (
        f"kafka://broker:{advertised['SERVICES'].port}/{options.records_topic}",
    )
    assert analysis.follow


def test_the_compose_file_has_the_tested_kafka() -> None:
    """It advertises the published port."""
    kafka = _composed({"KAFKA_PORT": "5000"})["kafka"]

    assert kafka["image"] == f"apache/kafka:{KAFKA_VERSION}"
    assert kafka["ports"] == ["5000:5000"]
    assert kafka["environment"]["KAFKA_ADVERTISED_LISTENERS"] == "PLAINTEXT://localhost:5000"


def test_the_script_makes_the_images_of_the_tests() -> None:
    """docker/local/images.sh has the names of the base image and of Kafka's."""
    text = (DOCKER / "local" / "images.sh").read_text()

    assert f"ANTECHAMBER_BASE_IMAGE:-{BASE}}}" in text
    assert f"ANTECHAMBER_KAFKA_IMAGE:-apache/kafka:{KAFKA_VERSION}}}" in text
