"""Tests of request and response headers."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import Malformed, Output, Unencodable, encode_into
from protocol.frame_length import finish_frame
from protocol.headers import (
    RequestHeader,
    begin_response,
    decode_request_header,
    decode_response,
    encode_request,
    peek,
)
from protocol.messages.api_versions import ApiVersionsResponse
from protocol.messages.fetch import FetchResponse
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.tagged_fields import TAGS_PER_STRUCT_MAX

REQUEST = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


def decoded(raw: bytes) -> tuple[RequestHeader, int]:
    """The header of a request, and where its body begins."""
    return decode_request_header(memoryview(raw), raw, *peek(raw))


@pytest.mark.parametrize("version", [0, 4])
@pytest.mark.parametrize("client_id", [None, "", "me"])
def test_a_request_header_is_read_as_it_was_written(version: int, client_id: str | None) -> None:
    """A header is decoded as it was encoded; the client id always has a classic length."""
    frame = encode_request(REQUEST, version, 42, client_id)

    header, start = decoded(frame[4:])

    assert header == RequestHeader(12, version, 42, client_id)
    assert struct.unpack_from(">i", frame) == (len(frame) - 4,)
    assert frame[4 + start :].startswith(b"\x00\x01g" if version == 0 else b"\x02g")


def test_unknown_tagged_fields_of_a_header_are_skipped() -> None:
    """Unknown tagged fields of a request header are skipped."""
    frame = struct.pack(">hhihB", 12, 4, 1, -1, 1) + b"\x05\x02xx" + b"body"

    _, start = decoded(frame)

    assert frame[start:] == b"body"


def test_tagged_fields_of_a_header_may_be_beyond_the_copied_bytes() -> None:
    """Only the client id is read from the copy, so tagged fields of any size are skipped."""
    tags = b"\x01\x05\xf0\xa2\x04" + bytes(70_000)
    frame = struct.pack(">hhih", 12, 4, 1, -1) + tags + b"body"

    _, start = decode_request_header(memoryview(frame), frame[:20], *peek(frame))

    assert frame[start:] == b"body"


def test_a_header_with_very_many_tagged_fields_is_malformed() -> None:
    """They would be skipped in one step, before the client has logged in."""
    tags = b"\x80\x01" + b"\x64\x00" * (TAGS_PER_STRUCT_MAX + 1)

    with pytest.raises(Malformed, match="tagged fields"):
        decoded(struct.pack(">hhih", 12, 4, 1, -1) + tags + b"body")


@pytest.mark.parametrize(
    "frame",
    [b"", b"\0" * 7, struct.pack(">hhi", 12, 0, 1), struct.pack(">hhih", 12, 0, 1, 5) + b"x"],
)
def test_a_header_cut_short_is_malformed(frame: bytes) -> None:
    """A truncated header raises Malformed."""
    with pytest.raises(Malformed):
        decoded(frame)


def test_a_client_id_of_a_negative_length_is_null() -> None:
    """Every negative length of a client id is null, not only -1."""
    header, _ = decoded(struct.pack(">hhih", 12, 0, 1, -2))

    assert header.client_id is None


def test_a_client_id_is_decoded_as_in_java() -> None:
    """Malformed UTF-8 in a client id becomes U+FFFD."""
    frame = struct.pack(">hhih", 12, 0, 1, 3) + b"a\xffb"

    header, _ = decoded(frame)

    assert header.client_id == "a\ufffdb"


def test_a_client_id_that_is_too_long_is_not_written() -> None:
    """A client id that exceeds its two-byte length raises an error."""
    with pytest.raises(Unencodable, match="40000"):
        encode_request(REQUEST, 4, 1, "x" * 40_000)


@given(st.binary(max_size=40))
def test_no_bytes_raise_anything_but_malformed(frame: bytes) -> None:
    """Decoding any bytes as a header raises nothing but Malformed."""
    try:
        key, version, correlation_id = peek(frame)
        header, _ = decode_request_header(memoryview(frame), frame, 1, 12, correlation_id)
    except Malformed:
        return
    assert (header.api_key, header.api_version) == (1, 12)
    assert header.correlation_id == correlation_id
    assert min(key, version) >= -(2**15)


@pytest.mark.parametrize("version", [11, 12])
def test_a_response_is_read_as_it_was_written(version: int) -> None:
    """A response is decoded as it was encoded; flexible ones have tagged fields in the header."""
    out = Output()
    start = begin_response(out, RequestHeader(1, version, 7, None))
    encode_into(out, FetchResponse(session_id=5, responses=[]), version)
    size = finish_frame(out, start)

    correlation_id, body = decode_response(FetchResponse, version, out.joined()[4:])

    assert size == len(out)
    assert (correlation_id, body.session_id) == (7, 5)


def test_api_versions_responses_have_the_old_header() -> None:
    """A client that does not know the version yet must be able to decode it (KIP-511)."""
    out = Output()
    begin_response(out, RequestHeader(18, 3, 7, None))
    encode_into(out, ApiVersionsResponse(error_code=35, api_keys=[]), 3)

    assert bytes(out[4:10]) == struct.pack(">ih", 7, 35)
