"""The broker under test, names no other test uses, and skips where something is missing."""

from __future__ import annotations

import os
import re
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from antechamber import Cluster
from integration.antechamber_process import Antechamber, Serve
from integration.kafka_jars import missing_for_a_jvm
from integration.real_kafka import RealKafka


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let any client test be asked of real Kafka too."""
    parser.addoption(
        "--against",
        choices=("antechamber", "kafka"),
        default="antechamber",
        help="which broker the client tests talk to",
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip by name what this machine cannot run; fail instead if ANTECHAMBER_REQUIRE names it."""
    for marker, missing in (("jvm", _missing_jvm), ("docker", _missing_docker)):
        if item.get_closest_marker(marker):
            _need(marker, missing())


def _need(what: str, missing: str | None) -> None:
    if missing is None:
        return
    if what in os.environ.get("ANTECHAMBER_REQUIRE", "").replace(",", " ").split():
        pytest.fail(f"ANTECHAMBER_REQUIRE asks for {what}, but there is {missing}")
    pytest.skip(f"needs {what}: {missing}")


@cache
def _missing_jvm() -> str | None:
    return missing_for_a_jvm()


@cache
def _missing_docker() -> str | None:
    try:
        subprocess.run(["docker", "info"], capture_output=True, check=True, timeout=20)
    except FileNotFoundError:
        return "no docker on the PATH"
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return "no Docker engine that answers"
    return None


@pytest.fixture(scope="session")
def against(request: pytest.FixtureRequest) -> str:
    """`antechamber` or `kafka`: who answers."""
    answer: str = request.config.getoption("--against")
    return answer


@pytest.fixture(scope="session")
def broker(against: str) -> Iterator[Cluster | RealKafka]:
    """One broker for every test that only adds topics and groups of its own."""
    if against == "kafka":
        _need("jvm", _missing_jvm())
    with RealKafka() if against == "kafka" else Cluster() as running:
        yield running


@pytest.fixture(scope="session")
def real_kafka(broker: Cluster | RealKafka) -> Iterator[RealKafka]:
    """A real Kafka to compare with; ask for it in tests marked `jvm`."""
    if isinstance(broker, RealKafka):
        yield broker
        return
    with RealKafka() as running:
        yield running


@pytest.fixture(scope="session")
def bootstrap(broker: Cluster | RealKafka) -> str:
    """Where clients find the broker."""
    return broker.bootstrap


@pytest.fixture
def cluster(against: str) -> Iterator[Callable[..., Cluster]]:
    """Start a cluster of our own broker with options of the test's own; it ends with the test."""
    if against != "antechamber":
        pytest.skip("about our own broker")
    with ExitStack() as running:
        yield lambda *given, **options: running.enter_context(Cluster(*given, **options))


@pytest.fixture
def serve(against: str) -> Iterator[Serve]:
    """Run our command with arguments of the test's own; it is stopped after the test."""
    if against != "antechamber":
        pytest.skip("about our own process")
    with ExitStack() as running:
        yield lambda *arguments: running.enter_context(Antechamber(*arguments))


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A topic name that only this test uses, and that tells whose it is."""
    return _unique(request.node.name)


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    """A group id that only this test uses."""
    return _unique(request.node.name)


def _unique(name: str) -> str:
    return f"{re.sub('[^a-zA-Z0-9._-]+', '-', name)}-{uuid.uuid4().hex[:8]}"
