"""The maximum length of a string, and the errors for values that cannot be encoded."""

from __future__ import annotations

from typing import Final, NoReturn

from protocol.varints import Malformed

# Kafka neither reads nor writes longer ones, not even where their length is a varint.
STRING_BYTES_MAX: Final = 2**15 - 1
# A string of this size can always be encoded after replacement: a byte becomes at most three.
REPLACEABLE_BYTES_MAX: Final = STRING_BYTES_MAX // 3


class Unencodable(ValueError):  # noqa: N818 - it describes the value
    """A value does not fit the type that the schema gives it."""


class StringTooLong(Unencodable):
    """A string has more than `STRING_BYTES_MAX` bytes."""


def refuse_text(raw: bytes) -> NoReturn:
    """Raise `StringTooLong` for text that has too many bytes."""
    raise StringTooLong(f"a string of {len(raw)} bytes exceeds the maximum of {STRING_BYTES_MAX}")


def check_replaced(text: str) -> None:
    """Raise `Malformed` if the replacement of malformed bytes made *text* too long to encode.

    Kafka accepts such text, and fails when it writes it into a response or a record.
    """
    if len(text.encode()) > STRING_BYTES_MAX:
        raise Malformed("malformed UTF-8 whose replacement exceeds the maximum size of a string")
