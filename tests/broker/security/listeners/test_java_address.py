"""Addresses as Java writes them: `broker.security.listeners.java_address`."""

from __future__ import annotations

import pytest

from broker.security.listeners.java_address import java_address


@pytest.mark.parametrize(
    ("peer", "text"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::1", "0:0:0:0:0:0:0:1"),
        ("2001:db8::a0:0", "2001:db8:0:0:0:0:a0:0"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1%eth0"),
        ("(gone)", "(gone)"),
        ("memory:1", "memory:1"),
    ],
)
def test_an_address_is_written_as_java_does(peer: str, text: str) -> None:
    """IPv6 is not compressed, and an IPv4 address that is mapped into it is dotted."""
    assert java_address(peer) == text
