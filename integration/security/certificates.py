"""Certificate authorities, and certificates of servers and clients, in PEM files of this process.

All keys are PKCS#8, the only form that Kafka reads.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from integration.machine.once import once

Attributes = Sequence[tuple[x509.ObjectIdentifier, str]]

_DAY = timedelta(days=1)


class Certificate(NamedTuple):
    """A certificate and its key in one PEM file; ``path`` also is the path of the key."""

    path: Path
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


class Authority:
    """A certificate authority; ``path`` is its certificate."""

    def __init__(self, name: str) -> None:
        self.folder = _folder() / name
        self.folder.mkdir()
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _subject([(NameOID.COMMON_NAME, name)])
        builder = _builder(self._name, self._name, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        self.certificate = builder.sign(self._key, hashes.SHA256())
        self.path = self.folder / "ca.pem"
        self.path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, file: str, subject: Attributes, *, expired: bool = False) -> Certificate:
        """Issue a certificate for localhost in *file*."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_subject(subject), self._name, key.public_key(), expired=expired)
        names: list[x509.GeneralName] = [x509.DNSName("localhost")]
        names.append(x509.IPAddress(IPv4Address("127.0.0.1")))
        builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        certificate = builder.sign(self._key, hashes.SHA256())
        path = self.folder / f"{file}.pem"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        return Certificate(path, certificate, key)


class Certificates(NamedTuple):
    """The certificates of a test run."""

    authority: Authority
    stranger: Authority  # no broker trusts it
    server: Certificate
    client: Certificate
    expired: Certificate
    untrusted: Certificate


@once
def certificates() -> Certificates:
    """Return the certificates of this process."""
    authority, stranger = Authority("authority"), Authority("stranger")
    return Certificates(
        authority,
        stranger,
        authority.issue("server", [(NameOID.COMMON_NAME, "localhost")]),
        authority.issue("client", client_subject("client")),
        authority.issue("expired", client_subject("late"), expired=True),
        stranger.issue("untrusted", client_subject("stranger")),
    )


def client_subject(name: str) -> Attributes:
    """The attributes of a client's name, as the certificate has them: the general part first."""
    return [
        (NameOID.COUNTRY_NAME, "DE"),
        (NameOID.ORGANIZATION_NAME, "Example, Inc."),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, "Known"),
        (NameOID.COMMON_NAME, name),
    ]


@once
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="antechamber-certificates-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _subject(attributes: Attributes) -> x509.Name:
    return x509.Name([x509.NameAttribute(kind, value) for kind, value in attributes])


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    *,
    expired: bool = False,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    begin, end = (now - 3 * _DAY, now - _DAY) if expired else (now - _DAY, now + 30 * _DAY)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    builder = builder.serial_number(x509.random_serial_number())
    return builder.not_valid_before(begin).not_valid_after(end)
