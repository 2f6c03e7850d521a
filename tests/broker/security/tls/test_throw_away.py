"""The certificates of ``--tls``."""

from __future__ import annotations

import ssl
import sys
from pathlib import Path

import pytest

from broker.common.errors import StartupError
from broker.config.broker_config import parse_config
from broker.security.tls.contexts import server_context
from broker.security.tls.settings import TlsSettings
from broker.security.tls.throw_away import make_certificates
from tests.broker.security.tls.test_contexts import handshake


def test_broker_and_client_accept_each_other(tmp_path: Path) -> None:
    """The broker requires a certificate of the client."""
    files = make_certificates(tmp_path, ["localhost", "127.0.0.1", "::1"])
    settings = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": files["key_store"],
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": files["ca"],
        "ssl.client.auth": "required",
    }
    client = ssl.create_default_context(cafile=files["ca"])
    client.load_cert_chain(files["client_certificate"], files["client_key"])

    context = server_context(TlsSettings.of(parse_config(settings), "SSL"))

    assert handshake(context, client).getpeercert() is not None


def test_keys_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    """They are in PKCS #8 form, which Java requires."""
    files = make_certificates(tmp_path, ["localhost"])

    for name in ("key_store", "client_key", "client_key_store"):
        path = Path(files[name])
        assert path.stat().st_mode & 0o077 == 0
        assert "-----BEGIN PRIVATE KEY-----" in path.read_text()


def test_a_host_that_no_certificate_can_name_is_refused(tmp_path: Path) -> None:
    """The message names the option and the host."""
    with pytest.raises(StartupError, match="--tls: no certificate for a b"):
        make_certificates(tmp_path, ["a b"])


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the command that installs it."""
    monkeypatch.setitem(sys.modules, "trustme", None)

    with pytest.raises(StartupError, match=r"pip install 'antechamber\[security\]'"):
        make_certificates(tmp_path, ["localhost"])
