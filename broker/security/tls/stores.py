"""Reads key stores and trust stores: PEM, PKCS12 and JKS.

A type is PEM, or one of Java's binary types. The type JKS, which is the default, also reads PKCS12
files and the reverse, as Java does, so the first bytes of a file decide.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from broker.common.errors import StartupError
from broker.security.tls import jks, pkcs12
from broker.security.tls.pem import NotPem, certificate_pem, certificates_in, private_keys_in
from broker.security.tls.settings import KeyStoreSettings, TlsSettings
from protocol.lazy_dataclass import dataclass

_BINARY = ("JKS", "PKCS12")


@dataclass(frozen=True, slots=True)
class KeyStore:
    """A private key as PEM, its password if it is encrypted, and its certificate chain as DER."""

    key: str = field(repr=False)
    password: str | None = field(repr=False)
    chain: tuple[bytes, ...]

    @property
    def pem(self) -> str:
        """The key and the chain in one text."""
        return self.key + "\n" + "".join(map(certificate_pem, self.chain))


def key_store(settings: TlsSettings) -> KeyStore:
    """The key store of a listener; raises `StartupError`."""
    store = settings.key_store
    if not store.is_given:
        raise StartupError(
            f"listener {settings.listener}: TLS needs a certificate; set ssl.keystore.location"
        )
    try:
        return _pem_keys(store) if store.type == "PEM" else _binary_keys(store)
    except (OSError, ValueError) as error:
        culprit = "ssl.keystore.key" if store.location is None else store.location
        raise _failure(settings, "ssl.keystore.location", culprit, error) from None


def trusted_certificates(settings: TlsSettings) -> tuple[bytes, ...]:
    """The certificates of the trust store of a listener as DER; raises `StartupError`."""
    store = settings.trust_store
    try:
        if store.type == "PEM":
            certificates = certificates_in(store.certificates or _read_text(store.location))
        else:
            data = _read(store.location, store.type, "ssl.truststore.type")
            read = jks.trusted_certificates if jks.is_jks(data) else pkcs12.certificates
            certificates = read(data, store.password)
        if not certificates:
            raise ValueError("it has no certificate")
    except (OSError, ValueError) as error:
        culprit = "ssl.truststore.certificates" if store.location is None else store.location
        raise _failure(settings, "ssl.truststore.location", culprit, error) from None
    return tuple(certificates)


def _pem_keys(store: KeyStoreSettings) -> KeyStore:
    if store.location is not None:
        key_text = chain_text = _read_text(store.location)
    else:
        assert store.key is not None
        assert store.certificate_chain is not None
        key_text, chain_text = store.key, store.certificate_chain
    keys, chain = private_keys_in(key_text), certificates_in(chain_text)
    if len(keys) != 1:
        raise NotPem(f"it has {len(keys)} private keys, and must have one")
    if not chain:
        raise NotPem("it has no certificate")
    return KeyStore(keys[0], store.key_password, tuple(chain))


def _binary_keys(store: KeyStoreSettings) -> KeyStore:
    data = _read(store.location, store.type, "ssl.keystore.type")
    assert store.password is not None
    if jks.is_jks(data):
        key, chain = jks.private_key(data, store.password, store.key_password or store.password)
    else:
        key, chain = pkcs12.private_key(data, store.password)
    return KeyStore(key, None, tuple(chain))


def _read(location: str | None, kind: str, key: str) -> bytes:
    if kind not in _BINARY:
        raise ValueError(f"{key}={kind} is not one of PEM, {', '.join(_BINARY)}")
    assert location is not None
    return Path(location).read_bytes()


def _read_text(location: str | None) -> str:
    assert location is not None
    return Path(location).read_text(encoding="utf-8", errors="replace")


def _failure(settings: TlsSettings, key: str, culprit: str, error: Exception) -> StartupError:
    reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    named = f"{key}={culprit}" if culprit and not culprit.startswith("ssl.") else culprit
    return StartupError(f"listener {settings.listener}: {named}: {reason}")
