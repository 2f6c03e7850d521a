"""The address and the protocol of the admin interface."""

from __future__ import annotations

import pytest

from broker.command_line.arguments import parse_arguments
from broker.command_line.options import AdminOptions
from broker.common.errors import StartupError

KEY_STORE = "ssl.keystore.location=/k"
OWN_KEY_STORE = f"listener.name.admin-http.{KEY_STORE}"


def admin(line: str) -> AdminOptions:
    return parse_arguments(line.split()).admin


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_needs_no_token_and_has_no_tls(host: str) -> None:
    """Other machines cannot reach it. Certificates of listeners change nothing."""
    assert admin(f"--admin-host {host} --tls") == AdminOptions(host)
    assert not admin(f"--admin-host {host} -c {KEY_STORE}").has_tls


@pytest.mark.parametrize("host", ["0.0.0.0", "127.evil.example", "::", ""])
def test_another_address_needs_a_token(host: str) -> None:
    """The message has the remedy."""
    with pytest.raises(StartupError) as refused:
        parse_arguments(["--admin-host", host])

    assert str(refused.value) == (
        f"--admin-host: {host} can be reached from other machines; "
        "give --admin-token-file as well, or a loopback address"
    )


@pytest.mark.parametrize(
    ("line", "has_tls"),
    [
        ("--admin-host 0.0.0.0 --admin-token t", True),
        ("--admin-host 0.0.0.0 --admin-read-only-token t", True),
        ("--admin-host 0.0.0.0 --admin-token t --admin-protocol http", False),
        ("--admin-protocol https", True),
        (f"-c {OWN_KEY_STORE}", True),
        (f"-c {OWN_KEY_STORE} --admin-protocol http", False),
    ],
)
def test_http_on_another_address_is_an_explicit_choice(line: str, has_tls: bool) -> None:
    """TLS on loopback needs one as well: the option, or a key store of its own."""
    assert admin(line).has_tls is has_tls


def test_another_protocol_is_refused() -> None:
    """The message has the choices."""
    with pytest.raises(StartupError, match=r"^--admin-protocol: 'ftp' is not one of http, https; "):
        admin("--admin-protocol ftp")
