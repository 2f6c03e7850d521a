"""Contexts of listeners, tested with handshakes in memory."""

from __future__ import annotations

import datetime as dt
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from broker.common.errors import StartupError
from broker.config.broker_config import parse_config
from broker.security.tls.contexts import client_context, server_context
from broker.security.tls.settings import TlsSettings
from tests.broker.security.tls.stores import (
    PASSWORD,
    authority_text,
    chain_text,
    jks_file,
    key_text,
    leaf,
    pem_file,
    pkcs12_file,
)
from tests.tls import authority
from tests.tls import client_context as client

LEAF = leaf()


def settings(**given: str) -> TlsSettings:
    """The settings of a listener; ``_`` in names is a dot."""
    named = {f"ssl.{key.replace('_', '.')}": value for key, value in given.items()}
    return TlsSettings.of(parse_config(named), "SECURE")


def handshake(server: ssl.SSLContext, other: ssl.SSLContext) -> ssl.SSLObject:
    """The client's side after a handshake; raises `ssl.SSLError` of either side."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = server.wrap_bio(to_server, to_client, server_side=True)
    theirs = other.wrap_bio(to_client, to_server, server_hostname="localhost")
    for _ in range(3):
        for side in (theirs, ours):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return theirs


def inline() -> dict[str, str]:
    """A key store without a file."""
    return {
        "keystore_type": "PEM",
        "keystore_key": key_text(LEAF),
        "keystore_certificate_chain": chain_text(LEAF),
    }


def test_a_pem_file_is_a_key_store(tmp_path: Path) -> None:
    """It has the key and the chain."""
    path = str(pem_file(tmp_path, LEAF))

    handshake(server_context(settings(keystore_type="PEM", keystore_location=path)), client())


def test_an_encrypted_key_needs_its_password(tmp_path: Path) -> None:
    """Another password is refused, and none as well."""
    given = {"keystore_type": "PEM", "keystore_location": str(pem_file(tmp_path, LEAF, PASSWORD))}

    handshake(server_context(settings(**given, key_password=PASSWORD)), client())
    for wrong in ({"key_password": "x"}, {}):
        with pytest.raises(StartupError, match=r"keystore\.pem: ssl\.key\.password is not the"):
            server_context(settings(**given, **wrong))


@pytest.mark.parametrize("kind", ["PEM text", "PKCS12", "JKS", "PKCS12 as JKS"])
def test_each_kind_of_key_store_is_read(kind: str, tmp_path: Path) -> None:
    """The file decides whether a binary store is JKS or PKCS12, as in Java."""
    if kind == "PEM text":
        given = inline()
    else:
        path = jks_file(tmp_path, LEAF) if kind == "JKS" else pkcs12_file(tmp_path, LEAF)
        given = {"keystore_location": str(path), "keystore_password": PASSWORD}
        if kind == "PKCS12":
            given["keystore_type"] = "PKCS12"

    handshake(server_context(settings(**given)), client())


@pytest.mark.parametrize("kind", ["PEM file", "PEM text", "JKS", "JKS without password"])
def test_each_kind_of_trust_store_is_read(kind: str, tmp_path: Path) -> None:
    """A client with a certificate of the authority is accepted."""
    (tmp_path / "ca.pem").write_text("the authority:\n" + authority_text())
    jks = str(jks_file(tmp_path, None))
    given = {
        "PEM file": {"truststore_type": "PEM", "truststore_location": str(tmp_path / "ca.pem")},
        "PEM text": {"truststore_type": "PEM", "truststore_certificates": authority_text()},
        "JKS": {"truststore_location": jks, "truststore_password": PASSWORD},
        "JKS without password": {"truststore_location": jks},
    }[kind]

    context = server_context(settings(**inline(), **given, client_auth="required"))

    handshake(context, client("alice"))
    with pytest.raises(ssl.SSLError, match="PEER_DID_NOT_RETURN_A_CERTIFICATE"):
        handshake(context, client())


def test_a_trusted_certificate_need_not_be_one_of_an_authority() -> None:
    """Java trusts each certificate of the store."""
    trusted = leaf("client")
    context = server_context(
        settings(
            **inline(),
            truststore_type="PEM",
            truststore_certificates=chain_text(trusted),
            client_auth="required",
        )
    )
    other = client()
    trusted.configure_cert(other)

    handshake(context, other)
    with pytest.raises(ssl.SSLError, match="CERTIFICATE_VERIFY_FAILED"):
        handshake(context, client("alice"))


def test_only_the_enabled_versions_are_served() -> None:
    """``ssl.enabled.protocols`` has the lowest and the highest."""
    context = server_context(settings(**inline(), enabled_protocols="TLSv1.2"))

    assert handshake(context, client()).version() == "TLSv1.2"


def test_only_the_given_cipher_suites_are_served() -> None:
    """Without a suite of TLS 1.3 that version is not served."""
    suite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"

    cipher = handshake(server_context(settings(**inline(), cipher_suites=suite)), client()).cipher()

    assert cipher is not None
    assert cipher[:2] == ("ECDHE-ECDSA-AES128-GCM-SHA256", "TLSv1.2")


def test_a_node_verifies_the_host_name_of_another_node() -> None:
    """Unless ``ssl.endpoint.identification.algorithm`` is empty."""
    trust = {"truststore_type": "PEM", "truststore_certificates": authority_text()}

    assert client_context(settings(**trust)).check_hostname
    given = settings(**trust, endpoint_identification_algorithm="")
    assert not client_context(given).check_hostname
    handshake(server_context(settings(**inline())), client_context(given))


def refusal(**given: str) -> str:
    """The message for settings that cannot be used."""
    with pytest.raises(StartupError) as raised:
        server_context(settings(**given))
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_a_key_of_another_certificate_is_refused() -> None:
    """The message names the key."""
    given = inline() | {"keystore_key": key_text(leaf())}

    assert refusal(**given) == (
        "listener SECURE: ssl.keystore.key: "
        "the private key does not belong to the first certificate"
    )


def test_an_expired_certificate_is_served(caplog: pytest.LogCaptureFixture) -> None:
    """As in Kafka, with a warning: clients can be tested with it."""
    old = authority().issue_cert("localhost", not_after=dt.datetime(2020, 1, 2, tzinfo=dt.UTC))
    given = inline() | {
        "keystore_key": key_text(old),
        "keystore_certificate_chain": chain_text(old),
    }

    context = server_context(settings(**given))

    assert "the certificate has expired at 2020-01-02 00:00:00 UTC" in caplog.text
    with pytest.raises(ssl.SSLError, match="certificate has expired"):
        handshake(context, client())


def test_a_key_of_1024_bits_is_served(caplog: pytest.LogCaptureFixture) -> None:
    """With a warning: clients with the usual settings of OpenSSL refuse it."""
    key = rsa.generate_private_key(65537, 1024)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    begin, end = (dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in (2020, 2100))
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, begin, end)
        .sign(key, hashes.SHA256())
        .public_bytes(Encoding.PEM)
        .decode()
    )
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    context = server_context(
        settings(keystore_type="PEM", keystore_key=text, keystore_certificate_chain=certificate)
    )

    assert "clients may refuse its key" in caplog.text
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    other.check_hostname = False
    other.verify_mode = ssl.CERT_NONE
    other.set_ciphers("DEFAULT:@SECLEVEL=1")
    handshake(context, other)


def test_a_listener_without_a_key_store_is_refused() -> None:
    """No handshake could succeed."""
    assert "TLS needs a certificate; set ssl.keystore.location" in refusal()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"enabled_protocols": "SSLv3"}, "ssl.enabled.protocols has SSLv3"),
        ({"cipher_suites": "ALL"}, "ssl.cipher.suites has ALL, which OpenSSL does not have"),
        ({"cipher_suites": "TLS_X_WITH_Y"}, "ssl.cipher.suites has TLS_X_WITH_Y"),
        ({"truststore_type": "PEM", "truststore_certificates": "x"}, "it has no certificate"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(given: dict[str, str], reason: str) -> None:
    """The message names the key and its value."""
    assert reason in refusal(**inline(), **given)


def test_unusable_files_are_refused(tmp_path: Path) -> None:
    """The message names the file and what is wrong with it."""
    (tmp_path / "empty.pem").write_text("")
    (tmp_path / "ca.pem").write_text(authority_text())
    jks = str(jks_file(tmp_path, LEAF))
    missing = {"keystore_type": "PEM", "keystore_location": str(tmp_path / "none.pem")}
    empty = missing | {"keystore_location": str(tmp_path / "empty.pem")}

    assert refusal(**missing).endswith("none.pem: No such file or directory")
    assert refusal(**empty).endswith("empty.pem: it has 0 private keys, and must have one")
    assert refusal(keystore_location=jks, keystore_password="x").endswith(
        "store.jks: its password is wrong, or it is damaged"
    )
    assert refusal(
        keystore_location=str(pkcs12_file(tmp_path, LEAF)), keystore_password="x"
    ).endswith("keystore.p12: it is no PKCS12 or JKS store, or its password is wrong")
    assert refusal(keystore_location=str(tmp_path / "ca.pem"), keystore_password="x").endswith(
        "ca.pem: it is no PKCS12 or JKS store, or its password is wrong"
    )
    assert "ssl.keystore.type=XYZ is not one of" in refusal(
        keystore_type="XYZ", keystore_location=jks, keystore_password="x"
    )
