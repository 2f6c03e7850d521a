"""The listeners of a configuration: `broker.security.listeners.endpoints`."""

from __future__ import annotations

import pytest

from broker.config import ConfigError, parse_config
from broker.security.listeners.endpoints import Endpoint, Listeners, configured_listeners
from broker.security.session import SecurityProtocol

MAP = "listener.security.protocol.map"
NAME = "inter.broker.listener.name"
ADVERTISED = "advertised.listeners"


def listeners_of(text: str, others: dict[str, str] | None = None, nodes: int = 1) -> Listeners:
    return configured_listeners(parse_config({"listeners": text, **(others or {})}), nodes)


def test_each_listener_has_a_protocol_an_address_and_an_advertised_address() -> None:
    """Names and protocols are in upper case, and the brackets of an address are left out."""
    found = listeners_of(
        "int://:9092,EXT://[::1]:9094",
        {
            MAP: "INT:PLAINTEXT,EXT:sasl_ssl",
            NAME: "INT",
            ADVERTISED: "INT://broker_1:9092,EXT://localhost:19094",
        },
    )

    internal = Endpoint("INT", SecurityProtocol.PLAINTEXT, "", 9092)
    external = Endpoint("EXT", SecurityProtocol.SASL_SSL, "::1", 9094)
    assert found.bound == (internal, external)
    assert found.advertised == {
        "INT": internal._replace(host="broker_1"),
        "EXT": external._replace(host="localhost", port=19094),
    }
    assert found.inter_broker == "INT"


def test_listeners_advertise_their_addresses_by_default() -> None:
    """A listener that is not in advertised.listeners is not advertised."""
    assert set(listeners_of("PLAINTEXT://:1,SSL://:2").advertised) == {"PLAINTEXT", "SSL"}
    subset = listeners_of("PLAINTEXT://:1,SSL://:2", {ADVERTISED: "PLAINTEXT://h:1"})
    assert set(subset.advertised) == {"PLAINTEXT"}


def test_listeners_of_the_controller_are_left_out() -> None:
    """Kafka's own file has one."""
    found = listeners_of(
        "PLAINTEXT://:9092,CONTROLLER://:9093",
        {"controller.listener.names": "CONTROLLER", ADVERTISED: "PLAINTEXT://localhost:9092"},
    )

    assert [endpoint.listener for endpoint in found.bound] == ["PLAINTEXT"]


@pytest.mark.parametrize(
    "text",
    [
        "PLAINTEXT://127.0.0.1:9092,SSL://[::1]:9092",
        "PLAINTEXT://:0,SSL://:0",
        "PLAINTEXT://:9092,PLAINTEXT://:9092",
    ],
)
def test_ports_may_be_shared_between_families_and_0_is_any(text: str) -> None:
    """The same entry twice counts once."""
    assert listeners_of(text).inter_broker == "PLAINTEXT"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"listeners": ""}, "listeners has no listener for clients"),
        ({"listeners": "PLAINTEXT://:1", ADVERTISED: ""}, "advertised.listeners has no listener"),
        ({"listeners": "PLAINTEXT://h"}, "'PLAINTEXT://h' is not NAME://HOST:PORT"),
        ({"listeners": "h:9092"}, "'h:9092' is not NAME://HOST:PORT"),
        ({"listeners": "PLAINTEXT://:1,plaintext://:2"}, "PLAINTEXT is twice"),
        ({"listeners": "FOO://:1"}, "listeners: FOO has no security protocol"),
        ({"listeners": "PLAINTEXT://:99999"}, "PLAINTEXT://:99999: the port is not from 0 to"),
        ({"listeners": "PLAINTEXT://:-1"}, "PLAINTEXT://:-1: the port is not from 0 to"),
        ({"listeners": "PLAINTEXT://:1,SSL://:1"}, "PLAINTEXT and SSL need the same port"),
        (
            {"listeners": "PLAINTEXT://127.0.0.1:1,SSL://127.0.0.2:1"},
            "PLAINTEXT and SSL need the same port",
        ),
        ({"listeners": "A://:1", MAP: "A:TLS"}, "'A:TLS' has no security protocol"),
        ({"listeners": "A://:1", MAP: "A"}, "'A' is not NAME:PROTOCOL"),
        ({"listeners": "A://:1", MAP: "A:SSL,a:SSL"}, f"{MAP}: A is given twice"),
        ({"listeners": "SSL://:1"}, "PLAINTEXT is no advertised listener"),
        (
            {"listeners": "SSL://:1", NAME: "SSL", "security.inter.broker.protocol": "SSL"},
            "security.inter.broker.protocol is set too",
        ),
        ({"listeners": "SSL://:1", NAME: "FOO"}, f"{NAME}: FOO is not in {MAP}"),
        (
            {"listeners": "SSL://:1,C://:2", NAME: "C", "controller.listener.names": "C"},
            f"{NAME}: C is a listener of the controller",
        ),
        ({"listeners": "PLAINTEXT://0.0.0.0:1"}, "clients cannot connect to 0.0.0.0"),
        (
            {"listeners": "PLAINTEXT://:1", ADVERTISED: "PLAINTEXT://0.0.0.0:1"},
            "clients cannot connect to 0.0.0.0",
        ),
        (
            {"listeners": "PLAINTEXT://:1", ADVERTISED: "PLAINTEXT://h:1,SSL://h:2"},
            "advertised.listeners: SSL is not in listeners; PLAINTEXT is",
        ),
    ],
)
def test_an_invalid_listener_is_refused(settings: dict[str, str], message: str) -> None:
    """The message names the key and the culprit."""
    with pytest.raises(ConfigError) as refused:
        configured_listeners(parse_config(settings))

    assert message in str(refused.value)


def test_the_ports_of_several_nodes_do_not_overlap() -> None:
    """Node 2 of the first listener would have the port of node 1 of the second."""
    with pytest.raises(ConfigError, match="since 2 brokers have 2 ports each"):
        listeners_of("PLAINTEXT://:9092,SSL://:9093", nodes=2)
    with pytest.raises(ConfigError, match="PLAINTEXT needs the ports up to 65536"):
        listeners_of("PLAINTEXT://:65535", nodes=2)
