"""Kafka's tools for ACLs, SCRAM credentials and delegation tokens, as a super user."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import confluent_kafka
import pytest

from integration.clients.api_uses import ApiUses
from integration.kafka.tools import KafkaTools
from integration.machine.deadlines import eventually
from integration.security.client_settings import Way, for_confluent_kafka, write_java
from integration.security.running import PREFIX, Running, running_secured
from integration.security.sasl import PLAIN, SHA_256, SHA_512
from integration.security.users import ADMIN, password_of

pytestmark = pytest.mark.jvm

_ADMIN = Way("SASL", "SASL_PLAINTEXT", PLAIN, ADMIN, password_of(ADMIN))
_WITHIN_S = 60

Tool = Callable[..., str]


@pytest.fixture(scope="module")
def secured(against: str, api_uses: ApiUses) -> Iterator[Running]:
    """A secured node."""
    with running_secured(against, records=api_uses.records()) as running:
        yield running


@pytest.fixture
def tool(secured: Running, tools: KafkaTools, tmp_path: Path) -> Tool:
    """Run a tool as the super user."""
    config = str(write_java(_ADMIN, tmp_path / "admin.properties"))
    at = ("--bootstrap-server", secured.listeners["SASL"], "--command-config", config)

    def run(name: str, *arguments: str) -> str:
        return tools.run(name, *at, *arguments)

    return run


@pytest.fixture
def name() -> str:
    """A unique name."""
    return uuid.uuid4().hex


def test_acls_are_added_listed_and_removed(tool: Tool, name: str) -> None:
    """`kafka-acls` adds entries for a producer, lists them, and removes them."""
    entry = ("--allow-principal", f"User:{name}", "--producer", "--topic", name)

    added = tool("AclCommand", "--add", *entry)
    listed = tool("AclCommand", "--list", "--principal", f"User:{name}")
    tool("AclCommand", "--remove", "--force", *entry)
    gone = tool("AclCommand", "--list", "--principal", f"User:{name}")

    assert "Adding ACLs for resource" in added
    assert f"name={name}, patternType=LITERAL" in listed
    assert {"WRITE", "DESCRIBE", "CREATE"} == set(re.findall(r"operation=(\w+)", listed))
    assert "operation=" not in gone


@pytest.mark.parametrize("mechanism", [SHA_256, SHA_512])
def test_scram_credentials_are_made_and_used(
    secured: Running, tool: Tool, name: str, mechanism: str
) -> None:
    """A user that `kafka-configs` creates can log in, and cannot after the deletion."""
    named = ("--entity-type", "users", "--entity-name", name)
    tool("ConfigCommand", "--alter", "--add-config", f"{mechanism}=[password=word]", *named)
    described = tool("ConfigCommand", "--describe", *named)
    assert f"{mechanism}=iterations=4096" in described
    assert _can_produce(secured, Way("SASL", "SASL_PLAINTEXT", mechanism, name, "word"))

    tool("ConfigCommand", "--alter", "--delete-config", mechanism, *named)

    assert mechanism not in tool("ConfigCommand", "--describe", *named)


def test_a_delegation_token_is_a_login(
    secured: Running, tool: Tool, tools: KafkaTools, tmp_path: Path
) -> None:
    """A token of `kafka-delegation-tokens` logs a Java client in; renewed, expired, gone."""
    printed = tool("DelegationTokenCommand", "--create", "--max-life-time-period", "-1")
    token, hmac = _token(printed)
    describe = ("DelegationTokenCommand", "--describe", "--owner-principal", f"User:{ADMIN}")
    eventually(lambda: token in tool(*describe), "the token")
    by_token = Way("SASL", "SASL_PLAINTEXT", SHA_256, token, hmac, is_token=True)
    config = str(write_java(by_token, tmp_path / "token.properties"))
    at = ("--bootstrap-server", secured.listeners["SASL"], "--command-config", config)
    topic = f"{PREFIX}{token}"
    tools.run("ConsoleProducer", *at, "--topic", topic, fed="by token\n")
    read = ("--from-beginning", "--max-messages", "1", "--group", topic)
    assert "by token" in tools.run("ConsoleConsumer", *at, "--topic", topic, *read)

    renewed = tool("DelegationTokenCommand", "--renew", "--hmac", hmac, "--renew-time-period", "-1")
    expired = tool(
        "DelegationTokenCommand", "--expire", "--hmac", hmac, "--expiry-time-period", "-1"
    )

    assert "Completed renew operation" in renewed
    assert "Completed expire operation" in expired
    eventually(lambda: token not in tool(*describe), "no token")


def _can_produce(secured: Running, way: Way) -> bool:
    settings = {"bootstrap.servers": secured.listeners[way.listener], **for_confluent_kafka(way)}
    producer = confluent_kafka.Producer(settings)
    producer.produce(f"{PREFIX}{way.user}", b"value")
    return producer.flush(_WITHIN_S) == 0


def _token(printed: str) -> tuple[str, str]:
    """The id and the HMAC of the token that the tool prints."""
    (token,) = re.findall(r"tokenId : (\S+)", printed)
    (hmac,) = re.findall(rf"^{re.escape(token)}\s+(\S+)", printed, re.MULTILINE)
    return token, hmac
