"""Requests whose bytes are changed before they are sent, and their responses."""

from __future__ import annotations

from typing import Any

from integration.parity.client import Closed, Edit
from integration.parity.scenario import Kafka
from protocol.headers import decode_request_header, peek

CLOSED = "closed"

# Unsigned varints that Kafka reads as negative 32-bit integers.
VARINT_OF_MINUS_1 = b"\xff\xff\xff\xff\x0f"
VARINT_OF_MINUS_2_TO_THE_31 = b"\x80\x80\x80\x80\x08"


def response_or_closed(
    kafka: Kafka, request: Any, version: int, edit: Edit | None = None, *, client_id: str = "parity"
) -> Any:
    """Send a request, changed by *edit*, on a connection of its own.

    Returns the response, or `CLOSED` when the broker closes the connection.
    """
    client = kafka.connect(client_id=client_id)
    try:
        return client.start(request, version, edit=edit).response()
    except Closed:
        return CLOSED
    finally:
        client.close()


def body(content: bytes) -> Edit:
    """Send *content* after the header in place of the request's own body."""
    return lambda raw: raw[: _header_bytes(raw)] + content


def last_bytes(content: bytes, *, instead_of: int) -> Edit:
    """Replace as many bytes at the end by *content*."""
    return lambda raw: raw[:-instead_of] + content


def replaced(old: bytes, new: bytes) -> Edit:
    """Replace *old*, which must occur once, by *new*."""

    def edit(raw: bytes) -> bytes:
        assert raw.count(old) == 1, raw.count(old)
        return raw.replace(old, new)

    return edit


def _header_bytes(raw: bytes) -> int:
    return decode_request_header(memoryview(raw), raw, *peek(raw))[1]
