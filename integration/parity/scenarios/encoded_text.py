"""Encoded text: malformed UTF-8, strings of maximal length, and short frames."""

from __future__ import annotations

import struct

from integration.parity.edited import last_bytes, replaced, response_or_closed
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest

HEARTBEAT = HeartbeatRequest(group_id="none", generation_id=1, member_id="absent")
MALFORMED = (
    b"\xff",
    b"a\x80\xbfb",
    b"\xc0\x80",
    b"\xc3",
    b"\xe0\x80\x80",
    b"\xe6\xbc",
    b"\xed\xa0\x80",
    b"\xed\xa0\x80\xed\xb0\x80",
    b"\xed\xa0x",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xef\xbb\xbfx",
    b"\0",
    b"\xf0\x9f\x98\x80",
)


@scenario()
def malformed_text(kafka: Kafka) -> Observations:
    """Malformed UTF-8 is replaced as in Java, and returned in that form."""
    request = FindCoordinatorRequest(coordinator_keys=["x"], key_type=7)
    for raw in MALFORMED:
        edit = last_bytes(bytes([len(raw) + 1]) + raw + b"\0", instead_of=3)
        (found,) = response_or_closed(kafka, request, 4, edit).coordinators
        yield raw, found.key.encode()
        client_id = replaced(b"\0\6parity", struct.pack(">h", len(raw)) + raw)
        yield "client id", raw, response_or_closed(kafka, HEARTBEAT, 4, client_id)


@scenario()
def long_strings(kafka: Kafka) -> Observations:
    """A string has at most 32,767 bytes, even if its length is a varint."""
    for size in (32_766, 32_767, 32_768, 40_000, 65_535, 65_536):
        text = b"x" * size
        varint = bytes([size + 1 & 0x7F | 0x80, size + 1 >> 7 & 0x7F | 0x80, size + 1 >> 14])
        compact = replaced(b"\5none", varint + text)
        yield "compact", size, response_or_closed(kafka, HEARTBEAT, 4, compact)
        classic = replaced(b"\0\4none", struct.pack(">H", size & 0xFFFF) + text)
        yield "classic", size, response_or_closed(kafka, HEARTBEAT, 3, classic)
        client_id = replaced(b"\0\6parity", struct.pack(">H", size & 0xFFFF) + text)
        yield "client id", size, response_or_closed(kafka, HEARTBEAT, 4, client_id)


@scenario()
def short_frames(kafka: Kafka) -> Observations:
    """Frames that end within or at the end of the header."""
    header = struct.pack(">hhih", 18, 3, 1, -1) + b"\0"
    for size in range(len(header) + 1):
        client = kafka.connect()
        client.write(struct.pack(">i", size) + header[:size])
        yield size, client.is_closed()
