"""Makes the ``ssl.SSLContext`` of a listener, for its clients and for connections between nodes."""

from __future__ import annotations

import logging
import ssl
import tempfile
from datetime import UTC, datetime
from types import MappingProxyType

from broker.common.errors import StartupError
from broker.security.tls.certificate import Certificate
from broker.security.tls.ciphers import restrict
from broker.security.tls.settings import TlsSettings
from broker.security.tls.stores import KeyStore, key_store, trusted_certificates

log = logging.getLogger("antechamber.authentication")

_VERSIONS = MappingProxyType(
    {
        "TLSv1": ssl.TLSVersion.TLSv1,
        "TLSv1.1": ssl.TLSVersion.TLSv1_1,
        "TLSv1.2": ssl.TLSVersion.TLSv1_2,
        "TLSv1.3": ssl.TLSVersion.TLSv1_3,
    }
)
# OpenSSL refuses these above its security level 1, which allows RSA keys of 1024 bits.
_WEAK = frozenset(["EE_KEY_TOO_SMALL", "CA_KEY_TOO_SMALL"])
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
    """Use the key and the chain of *store*, which ``ssl`` reads from a file only.

    As in Kafka, a certificate that clients do not accept is served, so that they can be tested.
    """
    reason = None
    culprit = settings.key_store.location or "ssl.keystore.key"
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:  # only its owner can read it
        file.write(store.pem)
        file.flush()
        try:
            # Without a password, OpenSSL would read one from the terminal.
            weakness = _load_chain(context, file.name, store.password or "")
        except ssl.SSLError as error:
            reason = _reason(error, store)
        except ValueError as error:
            reason = str(error)
    if reason is not None:
        raise StartupError(f"listener {settings.listener}: {culprit}: {reason}")
    for problem in (weakness, _invalidity(store.chain[0])):
        if problem is not None:
            log.warning("listener %s: %s: %s", settings.listener, culprit, problem)


def _load_chain(context: ssl.SSLContext, file: str, password: str) -> str | None:
    """Load key and chain; returns why clients may refuse the key, or None.

    Raises `ssl.SSLError`.
    """
    try:
        context.load_cert_chain(file, password=password)
    except ssl.SSLError as error:
        if error.reason not in _WEAK:
            raise
        names = [each["name"] for each in context.get_ciphers() if each["protocol"] != "TLSv1.3"]
        context.set_ciphers(":".join([*(names or ["DEFAULT"]), "@SECLEVEL=1"]))
        context.load_cert_chain(file, password=password)
        return f"clients may refuse its key ({error.reason})"
    return None


def _reason(error: ssl.SSLError, store: KeyStore) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return "the private key does not belong to the first certificate"
    if "ENCRYPTED" in store.key:
        return "ssl.key.password is not the password of the private key"
    return f"the key or the certificate cannot be used ({error.reason or error})"


def _invalidity(der: bytes) -> str | None:
    """Why hardly any client accepts a certificate now, or None."""
    certificate, now = Certificate.of(der), datetime.now(UTC)
    if now > certificate.not_after:
        return f"the certificate has expired at {certificate.not_after:%Y-%m-%d %H:%M:%S} UTC"
    if now < certificate.not_before:
        return f"the certificate is valid from {certificate.not_before:%Y-%m-%d %H:%M:%S} UTC"
    return None
