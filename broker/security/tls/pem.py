"""Finds certificates and private keys in PEM texts (RFC 7468)."""

from __future__ import annotations

import base64
import binascii
import re

from protocol.lazy_pattern import LazyPattern

_BLOCK = LazyPattern(r"-----BEGIN ([A-Z0-9 ]+)-----\s.*?-----END \1-----", re.DOTALL)
_CERTIFICATES = ("CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE")


class NotPem(ValueError):  # noqa: N818 - it names the condition
    """A text without the expected PEM blocks."""


def certificates_in(text: str) -> list[bytes]:
    """All certificates in *text* as DER, in order; raises `NotPem`."""
    return [_der(found.group()) for found in _blocks(text) if found.group(1) in _CERTIFICATES]


def private_keys_in(text: str) -> list[str]:
    """All private keys in *text*, as PEM blocks."""
    return [found.group() for found in _blocks(text) if found.group(1).endswith("PRIVATE KEY")]


def certificate_pem(der: bytes) -> str:
    """A certificate as a PEM block with a line end."""
    return _pem("CERTIFICATE", der)


def key_pem(pkcs8: bytes) -> str:
    """An unencrypted private key in PKCS #8 form as a PEM block with a line end."""
    return _pem("PRIVATE KEY", pkcs8)


def _blocks(text: str) -> list[re.Match[str]]:
    return list(_BLOCK.compiled.finditer(text))


def _der(block: str) -> bytes:
    body = "".join(block.split("-----")[2].split())
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        raise NotPem("a certificate in it is not base64") from None


def _pem(label: str, der: bytes) -> str:
    body = base64.encodebytes(der).decode("ascii")
    return f"-----BEGIN {label}-----\n{body}-----END {label}-----\n"
