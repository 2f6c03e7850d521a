"""Reads PKCS #12 stores, which ``keytool`` makes by default, with the package cryptography."""

from __future__ import annotations

from typing import Any

_MISSING = "a PKCS12 store needs the package cryptography: pip install 'antechamber[security]'"


def private_key(data: bytes, password: str) -> tuple[str, list[bytes]]:
    """The private key as PEM, and its certificate chain as DER; raises `ValueError`."""
    store = _load(data, password)
    if store.key is None or store.cert is None:
        raise ValueError("it has no private key with a certificate")
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key: bytes = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    others = [each.certificate for each in store.additional_certs]
    return key.decode("ascii"), [_der(each) for each in _chain(store.cert.certificate, others)]


def certificates(data: bytes, password: str | None) -> list[bytes]:
    """All certificates as DER; without a password, integrity is not checked.

    Raises `ValueError`.
    """
    store = _load(data, password)
    found = [] if store.cert is None else [store.cert]
    return [_der(each.certificate) for each in (*found, *store.additional_certs)]


def _load(data: bytes, password: str | None) -> Any:
    try:
        from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
    except ImportError:
        raise ValueError(_MISSING) from None
    try:
        return load_pkcs12(data, None if password is None else password.encode())
    except ValueError:
        raise ValueError("it is no PKCS12 or JKS store, or its password is wrong") from None


def _chain(certificate: Any, others: list[Any]) -> list[Any]:
    """The certificate and its issuers, in order; other certificates are left out."""
    chain = [certificate]
    while True:
        last = chain[-1]
        issuers = [each for each in others if each.subject == last.issuer and each not in chain]
        if not issuers or last.subject == last.issuer:
            return chain
        chain.append(issuers[0])


def _der(certificate: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    der: bytes = certificate.public_bytes(Encoding.DER)
    return der
