"""How long a string may be, and the errors of values that cannot be written."""

from __future__ import annotations

from typing import NoReturn

from protocol.varints import Malformed

# Kafka neither reads nor writes longer ones, not even where their length is a varint.
STRING_BYTES_MAX = 2**15 - 1
# Up to here a string stays writable whatever is replaced in it: a byte becomes three at most.
REPLACEABLE_BYTES_MAX = STRING_BYTES_MAX // 3


class Unencodable(ValueError):  # noqa: N818 - it describes the value
    """A value does not fit the type that the schema gives it."""


class StringTooLong(Unencodable):
    """A string has more than `STRING_BYTES_MAX` bytes."""


def refuse_text(raw: bytes) -> NoReturn:
    """Raise `StringTooLong` for text that has too many bytes."""
    raise StringTooLong(f"a string of {len(raw)} bytes, {STRING_BYTES_MAX} are the most")


def check_replaced(text: str) -> None:
    """Refuse text that has become too long to be written by the replacement of malformed bytes.

    Kafka takes it, and fails when it writes it into a response or a record. Raises `Malformed`.
    """
    if len(text.encode()) > STRING_BYTES_MAX:
        raise Malformed("malformed UTF-8 whose replacement is longer than a string may be")
