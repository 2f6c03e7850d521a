"""Hosts at which bound sockets can be reached: `broker.security.listeners.hosts`."""

from __future__ import annotations

import socket

import pytest

from broker.security.listeners.hosts import own_host, reachable


def test_a_socket_at_all_addresses_is_reached_on_loopback() -> None:
    """Another host is reached at its own address."""
    assert [reachable(host) for host in ("", "::", "192.0.2.1")] == [
        "127.0.0.1",
        "127.0.0.1",
        "192.0.2.1",
    ]


def test_clients_are_given_the_name_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener at one address has that address."""
    monkeypatch.setattr(socket, "getfqdn", lambda: "localhost")

    assert (own_host(""), own_host("192.0.2.1")) == ("localhost", "192.0.2.1")


def test_a_name_that_cannot_be_resolved_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients on this machine can use loopback."""
    monkeypatch.setattr(socket, "getfqdn", lambda: "no.such.host.invalid")

    assert own_host("") == "127.0.0.1"
