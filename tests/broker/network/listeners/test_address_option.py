"""The socket option of listeners on each system."""

from __future__ import annotations

import socket
from types import SimpleNamespace

from broker.network.listeners import address_option
from tests.foreign_system import as_on


def test_posix_binds_a_port_again_at_once() -> None:
    """A restart does not wait for the end of old connections."""
    assert address_option.ADDRESS_OPTION == socket.SO_REUSEADDR


def test_windows_gives_a_port_to_one_socket() -> None:
    """SO_REUSEADDR would let a second broker bind the port of a running one."""
    sockets = SimpleNamespace(SO_EXCLUSIVEADDRUSE=-5)
    windows = as_on("win32", address_option.__name__, {"socket": sockets})

    assert windows.ADDRESS_OPTION == -5
