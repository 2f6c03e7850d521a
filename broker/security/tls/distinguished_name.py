r"""A distinguished name as text, as Java writes it (``X500Principal.getName``, RFC 2253).

The most specific part comes first, without blanks: ``CN=alice,OU=Eng,O=Example\, Inc.,C=DE``. An
attribute that RFC 2253 does not name is its object identifier and its value in hexadecimal digits.
"""

from __future__ import annotations

from types import MappingProxyType

from broker.security.tls.der import DerReader, Value

_KEYWORDS = MappingProxyType(
    {
        "2.5.4.3": "CN",
        "2.5.4.6": "C",
        "2.5.4.7": "L",
        "2.5.4.8": "ST",
        "2.5.4.9": "STREET",
        "2.5.4.10": "O",
        "2.5.4.11": "OU",
        "0.9.2342.19200300.100.1.1": "UID",
        "0.9.2342.19200300.100.1.25": "DC",
    }
)
# The encodings of the types of texts, by tag.
_TEXTS = MappingProxyType(
    {
        0x0C: "utf-8",  # UTF8String
        0x13: "ascii",  # PrintableString
        0x14: "latin-1",  # T61String
        0x16: "ascii",  # IA5String
        0x1B: "ascii",  # GeneralString
        0x1E: "utf-16-be",  # BMPString
    }
)
_ESCAPED = frozenset(',=+<>#;"\\')


def distinguished_name(name: bytes) -> str:
    """The text for the content of a ``Name``; raises `NotDer`."""
    reader, parts = DerReader(name), list[str]()
    while reader.has_more:
        attributes, texts = reader.enter(), list[str]()
        while attributes.has_more:
            attribute = attributes.enter()
            texts.append(_attribute(_identifier(attribute.octets()), attribute.next()))
        parts.append("+".join(texts))
    return ",".join(reversed(parts))


def _attribute(identifier: str, value: Value) -> str:
    keyword, encoding = _KEYWORDS.get(identifier), _TEXTS.get(value.tag)
    if keyword is None or encoding is None:
        return f"{keyword or identifier}=#{value.encoded.hex()}"
    return f"{keyword}={_escaped(value.content.decode(encoding, errors='replace'))}"


def _escaped(text: str) -> str:
    begin = len(text) - len(text.lstrip(" "))
    end = len(text.rstrip(" "))
    return "".join(
        f"\\{char}" if char in _ESCAPED or (char == " " and not begin <= at < end) else char
        for at, char in enumerate(text)
    )


def _identifier(content: bytes) -> str:
    """An object identifier as numbers with dots; each byte has 7 bits of a number."""
    numbers, number = list[int](), 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))
