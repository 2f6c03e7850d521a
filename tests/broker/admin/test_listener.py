"""The address of the admin interface, and the hosts that requests may name."""

from __future__ import annotations

from contextlib import closing

import pytest

from broker.admin.access import access_rules
from broker.admin.listener import AdminListener
from broker.security.admin_tokens import NO_TOKENS, AdminTokens
from tests.tls import server_context

TOKENS = AdminTokens("t")


def test_loopback_accepts_its_names() -> None:
    """``localhost`` and both loopback addresses, with the port."""
    names = frozenset({"127.0.0.1:1", "localhost:1", "[::1]:1"})

    assert access_rules(("127.0.0.1", 1), NO_TOKENS).hosts == names
    assert access_rules(("::1", 1), TOKENS).hosts == names
    assert access_rules(("127.0.0.2", 1), NO_TOKENS).hosts == names | {"127.0.0.2:1"}


@pytest.mark.parametrize("host", ["10.0.0.5", "0.0.0.0", "::", "fe80::1%eth0"])
def test_other_addresses_accept_any_name_with_the_token(host: str) -> None:
    """The names of such an address are not known, such as that of a container."""
    assert access_rules((host, 1), TOKENS).hosts is None


def test_the_url_has_the_protocol_and_the_bound_port() -> None:
    """A socket that is bound to all addresses is reached by loopback."""
    with closing(AdminListener("127.0.0.1", 0)) as plain:
        assert plain.url == f"http://127.0.0.1:{plain.socket.getsockname()[1]}"
    with closing(AdminListener("0.0.0.0", 0, TOKENS, server_context())) as encrypted:
        assert encrypted.url == f"https://127.0.0.1:{encrypted.socket.getsockname()[1]}"
