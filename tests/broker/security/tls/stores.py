"""Key stores and trust stores of the tests, in all formats."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509 import load_pem_x509_certificate

from tests.tls import authority

PASSWORD = "changeit"


def leaf(name: str = "localhost") -> trustme.LeafCert:
    """A certificate for a host name."""
    return authority().issue_cert(
        name, common_name=name, organization_name="antechamber", organization_unit_name="tests"
    )


def key_text(certificate: trustme.LeafCert, password: str | None = None) -> str:
    """The private key in PKCS #8 form."""
    key = load_pem_private_key(certificate.private_key_pem.bytes(), None)
    protection = NoEncryption() if password is None else BestAvailableEncryption(password.encode())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection).decode()


def chain_text(certificate: trustme.LeafCert) -> str:
    """The certificate chain."""
    return "".join(pem.bytes().decode() for pem in certificate.cert_chain_pems)


def authority_text() -> str:
    """The certificate of the authority."""
    return authority().cert_pem.bytes().decode()


def der(pem: str) -> bytes:
    """A certificate as DER."""
    return load_pem_x509_certificate(pem.encode()).public_bytes(Encoding.DER)


def pem_file(folder: Path, certificate: trustme.LeafCert, password: str | None = None) -> Path:
    """A PEM key store."""
    path = folder / "keystore.pem"
    path.write_text(key_text(certificate, password) + chain_text(certificate))
    return path


def pkcs12_file(folder: Path, certificate: trustme.LeafCert) -> Path:
    """A PKCS12 key store."""
    data = pkcs12.serialize_key_and_certificates(
        b"broker",
        load_pem_private_key(certificate.private_key_pem.bytes(), None),  # type: ignore[arg-type]  # of a kind that it takes
        load_pem_x509_certificate(certificate.cert_chain_pems[0].bytes()),
        [load_pem_x509_certificate(authority().cert_pem.bytes())],
        BestAvailableEncryption(PASSWORD.encode()),
    )
    path = folder / "keystore.p12"
    path.write_bytes(data)
    return path


def jks_file(folder: Path, certificate: trustme.LeafCert | None) -> Path:
    """A JKS store with a private key, or with the trusted authority."""
    if certificate is None:
        entry = struct.pack(">I", 2) + _text("ca") + bytes(8) + _certificate(der(authority_text()))
    else:
        key = load_pem_private_key(certificate.private_key_pem.bytes(), None)
        pkcs8 = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        entry = struct.pack(">I", 1) + _text("broker") + bytes(8) + _sized(_protected(pkcs8))
        entry += struct.pack(">I", 1) + _certificate(der(chain_text(certificate)))
    content = struct.pack(">III", 0xFEEDFEED, 2, 1) + entry
    digest = hashlib.sha1(PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + content).digest()
    path = folder / "store.jks"
    path.write_bytes(content + digest)
    return path


def _protected(pkcs8: bytes) -> bytes:
    """``EncryptedPrivateKeyInfo`` with Java's own algorithm."""
    wide, salt, stream = PASSWORD.encode("utf-16-be"), b"s" * 20, b""
    digest = salt
    while len(stream) < len(pkcs8):
        digest = hashlib.sha1(wide + digest).digest()
        stream += digest
    hidden = bytes(a ^ b for a, b in zip(pkcs8, stream, strict=False))
    octets = salt + hidden + hashlib.sha1(wide + pkcs8).digest()
    algorithm = bytes.fromhex("300e060a2b060104012a021101010500")
    return _der_value(0x30, algorithm + _der_value(0x04, octets))


def _der_value(tag: int, content: bytes) -> bytes:
    return bytes([tag, 0x82]) + struct.pack(">H", len(content)) + content


def _certificate(data: bytes) -> bytes:
    return _text("X.509") + _sized(data)


def _sized(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()
