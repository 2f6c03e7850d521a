"""The image of the broker, in containers that are restricted, ended and started again."""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from integration.containers.image import BASE, broker_image, docker
from integration.containers.started import Started
from integration.machine.deadlines import ENDS_WITHIN_S

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]

# The official python:3.13-slim has 122 MB; the image must have less than 150.
ADDED_BYTES_MAX = 29_000_000
MEBIBYTE = 1 << 20
LOCKED = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"]


@pytest.fixture
def volume() -> Iterator[str]:
    """The name of an empty volume."""
    name = docker("volume", "create", f"antechamber-{uuid.uuid4().hex[:8]}")
    yield name
    docker("volume", "rm", name)


def _inspected(image: str) -> dict[str, Any]:
    (found,) = json.loads(docker("image", "inspect", image))
    return dict(found)


def _produce(bootstrap: str, values: list[bytes]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    for value in values:
        producer.produce("orders", value, partition=0)
    assert producer.flush(60) == 0


def _consume(bootstrap: str, count: int) -> list[bytes | None]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "test"})
    consumer.assign([TopicPartition("orders", 0, 0)])
    messages = consumer.consume(count, timeout=60)
    consumer.close()
    return [message.value() for message in messages]


def test_the_image_adds_little_to_its_base() -> None:
    """Its layers are smaller than the limit."""
    added = _inspected(broker_image())["Size"] - _inspected(BASE)["Size"]

    assert 0 < added < ADDED_BYTES_MAX


def test_the_image_is_checked_each_second() -> None:
    """A container is healthy within a second of being ready."""
    check = _inspected(broker_image())["Config"]["Healthcheck"]

    assert check["Interval"] == 1_000_000_000


def test_a_container_without_privileges_serves() -> None:
    """The root file system is read-only, and the user has no capabilities."""
    with Started(LOCKED, ["--topic", "orders"]) as container:
        container.wait_until_healthy()
        _produce(container.bootstrap, [b"one"])

        assert _consume(container.bootstrap, 1) == [b"one"]


def test_a_named_volume_keeps_the_logs(volume: str) -> None:
    """A container that uses the volume of a removed one has its records."""
    options = [*LOCKED, "--volume", f"{volume}:/data"]
    with Started(options, ["--data-dir", "/data", "--topic", "orders"]) as first:
        first.wait_until_healthy()
        _produce(first.bootstrap, [b"one", b"two"])
        first.signal("TERM")
        first.exit_code()

    with Started(options, ["--data-dir", "/data"]) as second:
        second.wait_until_healthy()
        assert _consume(second.bootstrap, 2) == [b"one", b"two"]


def test_docker_run_shows_why_a_start_fails() -> None:
    """The output is the broker's own line, and the exit code its own."""
    command = ["docker", "run", "--rm", broker_image(), "--brokers", "none"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=ENDS_WITHIN_S
    )

    assert done.returncode == 2
    assert (
        done.stderr == "antechamber serve: --brokers: 'none' is not a whole number from 1 to 100\n"
    )
    assert done.stdout == ""


def test_a_folder_of_another_user_is_refused() -> None:
    """The line names the folder."""
    options = ["--rm", "--tmpfs", "/data:mode=700"]
    command = ["docker", "run", *options, broker_image(), "--data-dir", "/data"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=ENDS_WITHIN_S
    )

    assert done.returncode == 2
    assert "/data" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("signal", "code"), [("TERM", 0), ("INT", 0), ("KILL", 137)])
def test_a_signal_ends_a_container(signal: str, code: int) -> None:
    """SIGTERM and SIGINT stop the broker in order; SIGKILL ends it."""
    with Started() as container:
        container.wait_until_healthy()
        container.signal(signal)

        assert container.exit_code() == code


def test_a_container_serves_within_its_memory() -> None:
    """With 96 MiB, it takes and returns more records than that."""
    limits = ["--memory=96m", "--memory-swap=96m"]
    values = [bytes([number]) * (MEBIBYTE // 2) for number in range(240)]
    with Started(limits, ["--topic", "orders"]) as container:
        container.wait_until_healthy()
        _produce(container.bootstrap, values)

        assert _consume(container.bootstrap, len(values)) == values
        assert container.state()["Running"]


def test_a_container_without_enough_memory_is_killed() -> None:
    """The engine reports the reason, and exit code 137."""
    with Started(["--memory=12m", "--memory-swap=12m"]) as container:
        assert container.exit_code() == 137
        assert container.state()["OOMKilled"]
