"""What a failure of TLS means: one sentence for an ``ssl.SSLError``."""

from __future__ import annotations

import ssl
from types import MappingProxyType

_NOT_TLS = "the peer does not use TLS, or the port is not one of TLS"
_REFUSED = "the peer does not accept this side's certificate"

# The reasons of OpenSSL that users meet.
_SENTENCES = MappingProxyType(
    {
        "BAD_PROTOCOL_VERSION_NUMBER": _NOT_TLS,
        "HTTP_REQUEST": "the peer sent an HTTP request without TLS",
        "HTTPS_PROXY_REQUEST": "the peer sent an HTTP request without TLS",
        "NO_SHARED_CIPHER": "the peer and this side have no cipher suite in common",
        "PEER_DID_NOT_RETURN_A_CERTIFICATE": "the peer sent no certificate, and one is required",
        "RECORD_LAYER_FAILURE": _NOT_TLS,
        "SSLV3_ALERT_BAD_CERTIFICATE": _REFUSED,
        "SSLV3_ALERT_CERTIFICATE_EXPIRED": f"{_REFUSED}, because it has expired",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN": _REFUSED,
        "SSLV3_ALERT_HANDSHAKE_FAILURE": "the peer has ended the handshake",
        "TLSV13_ALERT_CERTIFICATE_REQUIRED": "the peer requires a certificate of this side",
        "TLSV1_ALERT_INTERNAL_ERROR": "the peer has ended the handshake, or does not use TLS",
        "TLSV1_ALERT_PROTOCOL_VERSION": "the peer supports no protocol version of this side",
        "TLSV1_ALERT_UNKNOWN_CA": f"{_REFUSED}, because it does not know its issuer",
        "UNEXPECTED_MESSAGE": _NOT_TLS,
        "UNSUPPORTED_PROTOCOL": "the peer supports no protocol version of this side",
        "WRONG_SSL_VERSION": "the peer supports no protocol version of this side",
        "WRONG_VERSION_NUMBER": _NOT_TLS,
    }
)


def describe(error: ssl.SSLError) -> str:
    """The reason of a failure, with OpenSSL's name for it where it has one."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the peer's certificate is not valid: {error.verify_message.rstrip('.')}"
    reason = getattr(error, "reason", None)
    if not reason:
        return str(error)
    sentence = _SENTENCES.get(reason)
    return f"{sentence} ({reason})" if sentence else str(reason)
