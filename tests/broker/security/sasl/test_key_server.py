"""The TLS of connections to the server with the keys of signed tokens."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from broker.common.errors import StartupError
from broker.security.sasl.jaas import JaasModule
from broker.security.sasl.key_server import key_server_tls
from tests.tls import authority


def test_options_of_the_login_module_name_the_trusted_certificates(tmp_path: Path) -> None:
    """The server's host name is verified."""
    path = tmp_path / "ca.pem"
    path.write_bytes(authority().cert_pem.bytes())
    options = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(path), "other": "a"}

    context = key_server_tls("CLIENTS", JaasModule("module", options))

    assert context is not None
    assert context.check_hostname
    assert len(context.get_ca_certs()) == 1
    assert context.verify_mode is ssl.CERT_REQUIRED


def test_without_options_the_system_decides() -> None:
    """As for any other program."""
    assert key_server_tls("CLIENTS", JaasModule("module", {"other": "a"})) is None


def test_an_unknown_option_is_refused() -> None:
    """The message names it, and the line that has it."""
    module = JaasModule("module", {"ssl.truststore.place": "/a"})

    with pytest.raises(StartupError, match=r"(?s)sasl.jaas.config of the listener CLIENTS.*place"):
        key_server_tls("CLIENTS", module)
