"""Makes the ``ssl.SSLContext`` of a listener, for its clients and for connections between nodes."""

from __future__ import annotations

import ssl
import tempfile
from datetime import UTC, datetime
from types import MappingProxyType

from broker.common.errors import StartupError
from broker.security.tls.certificate import Certificate
from broker.security.tls.ciphers import restrict
from broker.security.tls.settings import TlsSettings
from broker.security.tls.stores import KeyStore, key_store, trusted_certificates

_VERSIONS = MappingProxyType(
    {
        "TLSv1": ssl.TLSVersion.TLSv1,
        "TLSv1.1": ssl.TLSVersion.TLSv1_1,
        "TLSv1.2": ssl.TLSVersion.TLSv1_2,
        "TLSv1.3": ssl.TLSVersion.TLSv1_3,
    }
)
_CLIENT_AUTH = MappingProxyType(
    {
        "none": ssl.CERT_NONE,
        "requested": ssl.CERT_OPTIONAL,
        "required": ssl.CERT_REQUIRED,
    }
)


def server_context(settings: TlsSettings) -> ssl.SSLContext:
    """The context for a listener's clients; raises `StartupError`."""
    context = _context(settings, ssl.PROTOCOL_TLS_SERVER)
    _load_key(context, settings, key_store(settings))
    context.verify_mode = _CLIENT_AUTH[settings.client_auth]
    context.num_tickets = 0  # Kafka's clients hardly resume sessions
    return context


def client_context(settings: TlsSettings) -> ssl.SSLContext:
    """The context with which a node connects to that listener of other nodes.

    Raises `StartupError`.
    """
    context = _context(settings, ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = settings.endpoint_identification_algorithm == "https"
    if settings.key_store.is_given:
        _load_key(context, settings, key_store(settings))
    return context


def _context(settings: TlsSettings, protocol: int) -> ssl.SSLContext:
    """A context with all settings but those of one side."""
    context = ssl.SSLContext(protocol)
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_CIPHER_SERVER_PREFERENCE
    # As in Java, each certificate of the trust store is trusted, not only those of authorities.
    context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VerifyFlags.VERIFY_X509_STRICT
    if settings.trust_store.is_given:
        _load_trust(context, settings)
    else:
        context.load_default_certs()
    _set_versions(context, settings)
    restrict(context, settings.cipher_suites, settings.listener)
    return context


def _set_versions(context: ssl.SSLContext, settings: TlsSettings) -> None:
    for name in settings.enabled_protocols:
        if name not in _VERSIONS:
            raise StartupError(
                f"listener {settings.listener}: ssl.enabled.protocols has {name}; "
                f"known are {', '.join(_VERSIONS)}"
            )
    versions = [_VERSIONS[name] for name in settings.enabled_protocols]
    if versions:
        context.minimum_version, context.maximum_version = min(versions), max(versions)


def _load_trust(context: ssl.SSLContext, settings: TlsSettings) -> None:
    try:
        context.load_verify_locations(cadata=b"".join(trusted_certificates(settings)))
    except (ssl.SSLError, ValueError):
        culprit = settings.trust_store.location or "ssl.truststore.certificates"
        raise StartupError(
            f"listener {settings.listener}: {culprit}: a certificate in it is damaged"
        ) from None


def _load_key(context: ssl.SSLContext, settings: TlsSettings, store: KeyStore) -> None:
    """Use the key and the chain of *store*, which ``ssl`` reads from a file only."""
    reason = None
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:  # only its owner can read it
        file.write(store.pem)
        file.flush()
        try:
            # Without a password, OpenSSL would read one from the terminal.
            context.load_cert_chain(file.name, password=store.password or "")
            reason = _invalidity(store.chain[0])
        except ssl.SSLError as error:
            reason = _reason(error, store)
        except ValueError as error:
            reason = str(error)
    if reason is not None:
        culprit = settings.key_store.location or "ssl.keystore.key"
        raise StartupError(f"listener {settings.listener}: {culprit}: {reason}")


def _reason(error: ssl.SSLError, store: KeyStore) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return "the private key does not belong to the first certificate"
    if "ENCRYPTED" in store.key:
        return "ssl.key.password is not the password of the private key"
    return f"the key or the certificate cannot be used ({error.reason or error})"


def _invalidity(der: bytes) -> str | None:
    """Why no client accepts a certificate now, or None."""
    certificate, now = Certificate.of(der), datetime.now(UTC)
    if now > certificate.not_after:
        return f"the certificate has expired at {certificate.not_after:%Y-%m-%d %H:%M:%S} UTC"
    if now < certificate.not_before:
        return f"the certificate is valid from {certificate.not_before:%Y-%m-%d %H:%M:%S} UTC"
    return None
