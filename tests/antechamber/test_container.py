"""The arguments and ports of a container, without a Docker engine."""

from __future__ import annotations

import socket

from antechamber.container import free_ports, serve_options
from broker.command_line.arguments import parse_arguments


def test_the_arguments_of_a_container() -> None:
    """The options of the class become options of serve."""
    words = serve_options(3, ["a", "b:2:3"], {"num.partitions": "4"})

    options = parse_arguments(words)

    assert options.brokers == 3
    assert [topic.name for topic in options.topics] == ["a", "b"]
    assert options.config.num_partitions == 4


def test_consecutive_free_ports() -> None:
    """There is one free port for each node."""
    ports = free_ports(3)

    assert len(ports) == 3
    for port in ports:
        socket.create_server(("127.0.0.1", port)).close()
