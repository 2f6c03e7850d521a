"""What the broker reads in a certificate (RFC 5280): the subject, its other names, its validity."""

from __future__ import annotations

from datetime import UTC, datetime

from broker.security.tls.der import DerReader, NotDer
from broker.security.tls.distinguished_name import distinguished_name
from protocol.lazy_dataclass import dataclass

_VERSION, _EXTENSIONS = 0xA0, 0xA3
_UTC_TIME = 0x17
_SUBJECT_ALTERNATIVE_NAMES = bytes.fromhex("551d11")  # 2.5.29.17


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate.

    ``subject`` is a distinguished name as RFC 2253 writes it; ``alternative_names`` are the encoded
    names of the extension.
    """

    subject: str
    alternative_names: frozenset[bytes]
    not_before: datetime
    not_after: datetime

    @classmethod
    def of(cls, der: bytes) -> Certificate:
        """Read a certificate; raises `ValueError`."""
        try:
            return _read(DerReader(der).enter().enter())
        except (NotDer, IndexError, UnicodeDecodeError):
            raise ValueError("a certificate in it is damaged") from None


def _read(fields: DerReader) -> Certificate:
    if fields.tag() == _VERSION:
        fields.skip()
    for _ in ("serial number", "signature algorithm", "issuer"):
        fields.skip()
    validity = fields.enter()
    not_before, not_after = _time(validity), _time(validity)
    subject = distinguished_name(fields.octets())
    fields.skip()  # the public key
    names = frozenset[bytes]()
    while fields.has_more:
        if fields.tag() == _EXTENSIONS:
            names = _alternative_names(fields.enter().enter())
        else:
            fields.skip()
    return Certificate(subject, names, not_before, not_after)


def _alternative_names(extensions: DerReader) -> frozenset[bytes]:
    while extensions.has_more:
        extension = extensions.enter()
        if extension.octets() != _SUBJECT_ALTERNATIVE_NAMES:
            continue
        value = extension.next()
        while extension.has_more:  # a flag may come before the value
            value = extension.next()
        names, found = DerReader(value.content).enter(), set[bytes]()
        while names.has_more:
            found.add(names.next().encoded)
        return frozenset(found)
    return frozenset()


def _time(validity: DerReader) -> datetime:
    value = validity.next()
    text = value.content.decode("ascii")
    if value.tag == _UTC_TIME:  # a year of two digits: 1950 to 2049
        text = ("19" if text >= "5" else "20") + text
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
