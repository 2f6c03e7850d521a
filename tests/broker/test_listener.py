"""Listening sockets."""

from __future__ import annotations

import socket

import pytest

from broker.errors import StartupError
from broker.listener import listen


def test_any_free_port() -> None:
    """Port 0 is any port that is free."""
    with listen("--port", "127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0


def test_a_port_in_use_is_one_line() -> None:
    """The option, the port, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(StartupError) as refusal:
            listen("--port", "127.0.0.1", port)

    text = f"--port: port {port} on 127.0.0.1 is in use; give a free one, or 0 for any"
    assert str(refusal.value) == text


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a" * 300])
def test_a_host_that_is_not_ours_is_one_line(host: str) -> None:
    """An address of another machine, a name that leads nowhere, and no name at all."""
    with pytest.raises(StartupError, match=r"--host: .* is not an address of this machine"):
        listen("--port", host, 0)
