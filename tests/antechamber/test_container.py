"""What a container is told, and where it is published; no engine is asked."""

from __future__ import annotations

import socket

from antechamber.container import free_ports, serve_options
from broker.command_line.arguments import parse_arguments


def test_a_container_is_told_what_was_asked_for() -> None:
    """In words that the command line takes."""
    words = serve_options(3, ["a", "b:2:3"], {"num.partitions": "4"})

    options = parse_arguments(words)

    assert options.brokers == 3
    assert [topic.name for topic in options.topics] == ["a", "b"]
    assert options.config.num_partitions == 4


def test_ports_in_a_row_are_free() -> None:
    """One for each node."""
    ports = free_ports(3)

    assert len(ports) == 3
    for port in ports:
        socket.create_server(("127.0.0.1", port)).close()
