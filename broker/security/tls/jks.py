"""Reads stores in Java's own format, JKS (``sun.security.provider.JavaKeyStore``).

    store   magic u4, version u4, count u4, entry*, SHA-1 of password, a constant, and all before
    entry   tag u4, alias, time u8, and for tag
            1: size u4, the encrypted key, count u4, certificate*
            2: certificate
    certificate   type (version 2), size u4, DER

Texts have a length u2. Numbers are big endian; passwords are hashed as UTF-16.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from typing import NamedTuple

from broker.security.tls.der import DerReader, NotDer
from broker.security.tls.pem import key_pem

_MAGIC = b"\xfe\xed\xfe\xed"
_PRIVATE_KEY, _TRUSTED_CERTIFICATE = 1, 2
_DIGEST_BYTES = 20
_CONSTANT = b"Mighty Aphrodite"  # of the format
_WRONG = "its password is wrong, or it is damaged"


class _Key(NamedTuple):
    encrypted: bytes
    chain: list[bytes]


def is_jks(data: bytes) -> bool:
    """Whether a file has this format."""
    return data.startswith(_MAGIC)


def private_key(data: bytes, password: str, key_password: str) -> tuple[str, list[bytes]]:
    """The first private key as PEM, and its chain as DER; raises `ValueError`."""
    keys, _ = _entries(data, password)
    if not keys:
        raise ValueError("it has no private key")
    return key_pem(_decrypted(keys[0].encrypted, key_password)), keys[0].chain


def trusted_certificates(data: bytes, password: str | None) -> list[bytes]:
    """The certificates of all entries as DER; without a password, integrity is not checked.

    Raises `ValueError`.
    """
    keys, certificates = _entries(data, password)
    return certificates + [key.chain[0] for key in keys if key.chain]


def _entries(data: bytes, password: str | None) -> tuple[list[_Key], list[bytes]]:
    if password is not None:
        _verify(data, password)
    try:
        return _Reader(data[:-_DIGEST_BYTES]).entries()
    except (struct.error, UnicodeDecodeError):
        raise ValueError("it is damaged") from None


def _verify(data: bytes, password: str) -> None:
    content, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    # SHA-1 is what the format has.
    wanted = hashlib.sha1(_wide(password) + _CONSTANT + content, usedforsecurity=False).digest()
    if not hmac.compare_digest(wanted, digest):
        raise ValueError(_WRONG)


class _Reader:
    """Reads a store from start to end; raises `struct.error` if it is too short."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = len(_MAGIC)
        self._version = self._number(4)

    def entries(self) -> tuple[list[_Key], list[bytes]]:
        """The private keys and the trusted certificates."""
        keys, certificates = list[_Key](), list[bytes]()
        for _ in range(self._number(4)):
            tag = self._number(4)
            self._sized(2)  # the alias
            self._number(8)  # the time
            if tag == _PRIVATE_KEY:
                encrypted = self._sized(4)
                keys.append(_Key(encrypted, [self._certificate() for _ in range(self._number(4))]))
            elif tag == _TRUSTED_CERTIFICATE:
                certificates.append(self._certificate())
            else:
                raise ValueError("it is damaged, or has secret keys, which JKS does not allow")
        return keys, certificates

    def _certificate(self) -> bytes:
        if self._version > 1:
            self._sized(2)  # the type, X.509
        return self._sized(4)

    def _number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "big")

    def _sized(self, size: int) -> bytes:
        return self._take(self._number(size))

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) != size:
            raise struct.error
        self._at += size
        return taken


def _decrypted(encrypted: bytes, password: str) -> bytes:
    """The key in PKCS #8 form: salt, XOR with a chain of SHA-1 digests, and a check digest."""
    try:
        info = DerReader(encrypted).enter()
        info.skip()  # the algorithm, of which there is one
        protected = info.octets()
    except NotDer:
        raise ValueError("it is damaged") from None
    salt, check = protected[:_DIGEST_BYTES], protected[-_DIGEST_BYTES:]
    hidden = protected[_DIGEST_BYTES:-_DIGEST_BYTES]
    wide, stream, digest = _wide(password), bytearray(), salt
    while len(stream) < len(hidden):
        digest = hashlib.sha1(wide + digest, usedforsecurity=False).digest()
        stream += digest
    key = bytes(a ^ b for a, b in zip(hidden, stream, strict=False))
    wanted = hashlib.sha1(wide + key, usedforsecurity=False).digest()
    if not hmac.compare_digest(wanted, check):
        raise ValueError("ssl.key.password is wrong")
    return key


def _wide(password: str) -> bytes:
    return password.encode("utf-16-be")
