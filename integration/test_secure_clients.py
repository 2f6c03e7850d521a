"""Each client library produces and consumes by each security protocol and mechanism.

In every run the Java client uses a part of them, because each use takes seconds;
ANTECHAMBER_REQUIRE=security enables the others.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import aiokafka
import aiokafka.abc
import confluent_kafka
import kafka
import kafka.net.sasl.oauth
import pytest

from integration.kafka.tools import KafkaTools
from integration.machine.requirements import is_required
from integration.security.client_settings import (
    WAYS,
    Way,
    bearer_token,
    for_aiokafka,
    for_confluent_kafka,
    for_kafka_python,
    write_java,
)
from integration.security.running import PREFIX, Running, running_secured
from integration.security.sasl import OAUTHBEARER

VALUES = [b"one", b"two", b"three"]
_WITHIN_S = 60
LOGIN_FAILED = -169  # _AUTHENTICATION of librdkafka

_SLOW = [] if is_required("security") else [pytest.mark.skip("slow: ANTECHAMBER_REQUIRE=security")]
_IN_EVERY_RUN = ("SSL-mTLS", "SASL_PLAINTEXT-PLAIN", "SASL_SSL-SCRAM-SHA-512")
_JAVA_WAYS = [
    pytest.param(way, marks=[] if str(way) in _IN_EVERY_RUN else _SLOW, id=str(way)) for way in WAYS
]


@pytest.fixture(scope="module")
def secured(against: str) -> Iterator[Running]:
    """A secured node."""
    with running_secured(against) as running:
        yield running


@pytest.fixture
def name() -> str:
    """A unique name of a topic and a group that every user may use."""
    return f"{PREFIX}{uuid.uuid4().hex}"


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_confluent_kafka(secured: Running, name: str, way: Way) -> None:
    """librdkafka logs in, produces, and consumes in a group."""
    settings = {
        "bootstrap.servers": secured.listeners[way.listener],
        **for_confluent_kafka(way),
    }
    producer = confluent_kafka.Producer(settings)
    for value in VALUES:
        producer.produce(name, value)
    assert producer.flush(_WITHIN_S) == 0
    group = {"group.id": name, "auto.offset.reset": "earliest"}
    consumer = confluent_kafka.Consumer({**settings, **group})
    consumer.subscribe([name])
    found: list[bytes] = []
    while len(found) < len(VALUES):
        message = consumer.poll(_WITHIN_S)
        assert message is not None, found
        assert message.error() is None, message.error()
        found.append(message.value() or b"")
    consumer.close()
    assert found == VALUES


class _Tokens(kafka.net.sasl.oauth.AbstractTokenProvider):  # type: ignore[misc] # has no types
    def __init__(self, way: Way) -> None:
        super().__init__()
        self._way = way

    def token(self) -> str:
        return bearer_token(self._way)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_kafka_python(secured: Running, name: str, way: Way) -> None:
    """kafka-python logs in, produces, and consumes in a group."""
    settings = {"bootstrap_servers": secured.listeners[way.listener], **for_kafka_python(way)}
    if way.mechanism == OAUTHBEARER:
        settings["sasl_oauth_token_provider"] = _Tokens(way)
    producer = kafka.KafkaProducer(**settings)
    for value in VALUES:
        producer.send(name, value).get(_WITHIN_S)
    producer.close()
    consumer = kafka.KafkaConsumer(
        name,
        group_id=name,
        auto_offset_reset="earliest",
        consumer_timeout_ms=_WITHIN_S * 1000,
        **settings,
    )
    assert [next(consumer).value for _ in VALUES] == VALUES
    consumer.close()


class _AsyncTokens(aiokafka.abc.AbstractTokenProvider):  # type: ignore[misc] # has no types
    def __init__(self, way: Way) -> None:
        self._way = way

    async def token(self) -> str:
        return bearer_token(self._way)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_aiokafka(secured: Running, name: str, way: Way) -> None:
    """aiokafka logs in, produces, and consumes in a group."""
    settings = {"bootstrap_servers": secured.listeners[way.listener], **for_aiokafka(way)}
    if way.mechanism == OAUTHBEARER:
        settings["sasl_oauth_token_provider"] = _AsyncTokens(way)

    async def run() -> list[bytes]:
        async with aiokafka.AIOKafkaProducer(**settings) as producer:
            for value in VALUES:
                await producer.send_and_wait(name, value)
        consumer = aiokafka.AIOKafkaConsumer(
            name, group_id=name, auto_offset_reset="earliest", **settings
        )
        async with consumer:
            return [(await consumer.getone()).value for _ in VALUES]

    assert asyncio.run(asyncio.wait_for(run(), _WITHIN_S)) == VALUES


@pytest.mark.jvm
@pytest.mark.parametrize("way", _JAVA_WAYS)
def test_java(secured: Running, name: str, way: Way, tools: KafkaTools, tmp_path: Path) -> None:
    """The Java client logs in, produces, and consumes in a group, by Kafka's console tools."""
    at = ("--bootstrap-server", secured.listeners[way.listener], "--topic", name)
    config = str(write_java(way, tmp_path / "client.properties"))
    values = [value.decode() for value in VALUES]
    fed = "".join(f"{value}\n" for value in values)
    tools.run("ConsoleProducer", *at, "--command-config", config, fed=fed)
    group = ("--group", name, "--from-beginning", "--max-messages", str(len(VALUES)))
    printed = tools.run("ConsoleConsumer", *at, "--command-config", config, *group)
    assert printed.splitlines()[: len(VALUES)] == values


def _skip_with_old_librdkafka() -> None:
    """Before 2.6.1 it sends its SCRAM nonce twice, which Kafka 4.3 refuses, too."""
    printed = subprocess.run(["kcat", "-V"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"librdkafka (\d+)\.(\d+)\.(\d+)", printed)
    assert found is not None, printed
    if tuple(map(int, found.groups())) < (2, 6, 1):
        pytest.skip(f"no SCRAM with Kafka 4: kcat has {found[0]}, which sends its nonce twice")


@pytest.mark.skipif(shutil.which("kcat") is None, reason="kcat is not installed")
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_kcat(secured: Running, name: str, way: Way) -> None:
    """kcat logs in, produces, and consumes."""
    if way.mechanism is not None and way.mechanism.startswith("SCRAM"):
        _skip_with_old_librdkafka()
    settings = {**for_confluent_kafka(way), "bootstrap.servers": secured.listeners[way.listener]}
    command = ["kcat", "-t", name, "-q"]
    for key, value in settings.items():
        command += ["-X", f"{key}={str(value).lower() if value is True else value}"]
    fed = b"".join(value + b"\n" for value in VALUES)
    subprocess.run([*command, "-P"], input=fed, check=True, timeout=_WITHIN_S)

    printed = subprocess.run(
        [*command, "-C", "-e", "-o", "beginning"],
        check=True,
        stdout=subprocess.PIPE,
        timeout=_WITHIN_S,
    )

    assert printed.stdout == fed


@pytest.mark.parametrize("way", [each for each in WAYS if each.password], ids=str)
def test_wrong_passwords_are_reported_by_librdkafka(secured: Running, way: Way) -> None:
    """librdkafka reports a failed login as such, and not as a lost connection."""
    errors: list[confluent_kafka.KafkaError] = []
    settings = {
        "bootstrap.servers": secured.listeners[way.listener],
        **for_confluent_kafka(way),
        "sasl.password": "wrong",
        "error_cb": errors.append,
    }
    producer = confluent_kafka.Producer(settings)
    for _ in range(100):
        producer.poll(0.1)
        if any(each.code() == LOGIN_FAILED for each in errors):
            break
    assert LOGIN_FAILED in {each.code() for each in errors}
