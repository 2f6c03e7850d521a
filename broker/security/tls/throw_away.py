"""Makes certificates for tests: an authority, a certificate of the broker, and one of a client.

They need the package trustme, and are valid for the given hosts. The files are PEM, and keys are in
PKCS #8 form, which Java requires.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from broker.common.errors import StartupError

if TYPE_CHECKING:
    import trustme

_ORGANIZATION = "antechamber"
_PRIVATE_MODE = 0o600


def make_certificates(folder: Path, hosts: Iterable[str]) -> Mapping[str, str]:
    """Write the files to *folder* and return their paths; raises `StartupError`.

    ca                  the certificate of the authority
    key_store           the private key and the certificate of the broker
    client_certificate  the certificate of a client with the name CN=client
    client_key          its private key
    client_key_store    both in one file
    """
    try:
        import trustme
    except ImportError:
        raise StartupError(
            "--tls needs the packages trustme and cryptography: pip install 'antechamber[security]'"
        ) from None
    authority = trustme.CA(organization_name=_ORGANIZATION)
    names = sorted(set(hosts))
    try:
        broker = authority.issue_cert(
            *names,
            common_name="broker",
            organization_name=_ORGANIZATION,
            organization_unit_name="brokers",
        )
    except (ValueError, UnicodeError) as error:
        raise StartupError(f"--tls: no certificate for {', '.join(names)}: {error}") from None
    client = authority.issue_cert(
        "client",  # Java refuses a certificate with an empty list of names
        common_name="client",
        organization_name=_ORGANIZATION,
        organization_unit_name="clients",
    )
    texts = {
        "ca": authority.cert_pem.bytes(),
        "key_store": _key(broker) + _chain(broker),
        "client_certificate": _chain(client),
        "client_key": _key(client),
        "client_key_store": _key(client) + _chain(client),
    }
    return {name: _written(folder / f"{name}.pem", text) for name, text in texts.items()}


def _chain(certificate: trustme.LeafCert) -> bytes:
    return b"".join(pem.bytes() for pem in certificate.cert_chain_pems)


def _key(certificate: trustme.LeafCert) -> bytes:
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        load_pem_private_key,
    )

    key = load_pem_private_key(certificate.private_key_pem.bytes(), None)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _written(path: Path, text: bytes) -> str:
    path.touch(_PRIVATE_MODE)
    path.write_bytes(text)
    return str(path)
