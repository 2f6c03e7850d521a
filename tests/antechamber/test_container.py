"""The arguments and ports of a container, without a Docker engine."""

from __future__ import annotations

import socket

import pytest

from antechamber.admin_endpoint import TOKEN_VARIABLE
from antechamber.container import (
    free_ports,
    listener_config,
    serve_options,
)
from broker.command_line.arguments import parse_arguments
from broker.security.listeners.endpoints import configured_listeners


def test_the_arguments_of_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    """The options of the class become options of serve."""
    monkeypatch.setenv(TOKEN_VARIABLE, "token")
    words = serve_options(3, ["a", "b:2:3"], {"num.partitions": "4"})

    options = parse_arguments(words)

    assert options.brokers == 3
    assert [topic.name for topic in options.topics] == ["a", "b"]
    assert options.config.num_partitions == 4


def test_the_listeners_of_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    """One is advertised to clients of the host, and one to other containers."""
    monkeypatch.setenv(TOKEN_VARIABLE, "token")
    words = serve_options(1, [], listener_config("localhost:4711", "alias:19092"))

    listeners = configured_listeners(parse_arguments(words).config)

    advertised = {name: endpoint[2:] for name, endpoint in listeners.advertised.items()}
    assert advertised == {"CLIENTS": ("localhost", 4711), "NETWORK": ("alias", 19092)}
    assert listeners.inter_broker == "NETWORK"


def test_consecutive_free_ports() -> None:
    """There is one free port for each node."""
    ports = free_ports(3)

    assert len(ports) == 3
    for port in ports:
        socket.create_server(("127.0.0.1", port)).close()
