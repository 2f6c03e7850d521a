"""Listening sockets, and the errors when they cannot be bound."""

from __future__ import annotations

import socket

import pytest

from broker.common.errors import StartupError
from broker.network.listeners.listening_socket import listen


def test_port_0_is_any_free_port() -> None:
    """The system chooses it."""
    with listen("--port", "127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0


def test_a_port_in_use_is_refused_in_one_line() -> None:
    """It names the option, the port and the remedy."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(StartupError) as refusal:
            listen("--port", "127.0.0.1", port)

    text = f"--port: port {port} on 127.0.0.1 is in use; give a free one, or 0 for any"
    assert str(refusal.value) == text


@pytest.mark.parametrize(
    ("host", "problem"),
    [
        ("192.0.2.1", "is not an address of this machine"),
        ("no.such.host.invalid", "cannot be resolved"),
        ("a" * 300, "cannot be resolved"),
    ],
)
def test_a_host_of_another_machine_is_refused_in_one_line(host: str, problem: str) -> None:
    """An address, a name that cannot be resolved, and a name that is too long."""
    with pytest.raises(StartupError, match=f"^the listener A: '{host}' {problem}; give .* by x$"):
        listen("the listener A", host, 0, host_by=" by x")
    with pytest.raises(StartupError, match=f"^--admin-host: '{host}' {problem}; give"):
        listen("--admin-port", host, 0, of_host="--admin-host")
