"""Request and response headers, including their two exceptions from the flexible format.

A flexible request has tagged fields after its client id, which keeps the classic two-byte length.
A flexible response has them after its correlation id, except for ApiVersions, because a client
reads that response before it knows the broker's versions (KIP-482, KIP-511).
"""

from __future__ import annotations

from struct import Struct
from struct import error as struct_error
from typing import Any, Final

from protocol.apis import API_VERSIONS, APIS
from protocol.big_endian import int16_at
from protocol.codec import Malformed, Output, StringTooLong, decode, encode_into
from protocol.frame_length import begin_frame, finish_frame
from protocol.java_text import JAVA_REPLACE
from protocol.lazy_dataclass import dataclass
from protocol.schema import FOREVER
from protocol.string_limits import REPLACEABLE_BYTES_MAX, STRING_BYTES_MAX, check_replaced
from protocol.tagged_fields import skip_tags

API_VERSIONS_KEY: Final = API_VERSIONS.key

_FIXED: Final = Struct(">hhi")
PEEKED_BYTES: Final = _FIXED.size
_INT16: Final = Struct(">h")
_INT32: Final = Struct(">i")
_LENGTH_AND_CORRELATION_ID: Final = Struct(">ii")

# By API key: the first version with a flexible request header, and with a flexible response header.
_FLEXIBLE_REQUESTS: Final = {key: api.flexible for key, api in APIS.items()}
_FLEXIBLE_RESPONSES: Final = _FLEXIBLE_REQUESTS | {API_VERSIONS_KEY: FOREVER}


@dataclass(slots=True)
class RequestHeader:
    """What precedes a request's body."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None


def peek(raw: bytes) -> tuple[int, int, int]:
    """API key, version and correlation id, which determine whether the rest can be decoded.

    *raw* is the begin of a frame, of which `PEEKED_BYTES` are read; raises `Malformed`.
    """
    try:
        api_key, api_version, correlation_id = _FIXED.unpack_from(raw, 0)
    except struct_error as error:
        raise Malformed(f"no header: {error}") from None
    return api_key, api_version, correlation_id


def decode_request_header(
    frame: memoryview, raw: bytes, api_key: int, api_version: int, correlation_id: int
) -> tuple[RequestHeader, int]:
    """The header of a request of a known API, and where its body begins; raises `Malformed`.

    *raw* is the begin of *frame*, with the client id; the numbers are those that `peek` returns.
    """
    position = PEEKED_BYTES
    try:
        size = int16_at(raw, position)
        position += 2
        client_id = None
        if size >= 0:
            end = position + size
            if end > len(raw):
                raise Malformed("the client id extends beyond the end")
            client_id = raw[position:end].decode("utf-8", JAVA_REPLACE)
            if size > REPLACEABLE_BYTES_MAX:
                check_replaced(client_id)
            position = end
        if api_version >= _FLEXIBLE_REQUESTS[api_key]:
            # There are no tagged fields, as nearly always.
            position = skip_tags(frame, position) if raw[position] else position + 1
    except IndexError as error:
        raise Malformed(f"header: {error}") from None
    return RequestHeader(api_key, api_version, correlation_id, client_id), position


def begin_response(out: Output, header: RequestHeader) -> int:
    """Begin the frame of a response to *header*; returns its start, for `finish_frame`."""
    start = len(out)
    out += _LENGTH_AND_CORRELATION_ID.pack(0, header.correlation_id)
    if header.api_version >= _FLEXIBLE_RESPONSES[header.api_key]:
        out.append(0)
    return start


def encode_request(body: Any, version: int, correlation_id: int, client_id: str | None) -> bytes:
    """Encode a whole request as a client sends it, preceded by its length."""
    spec = body.__spec__
    out = Output()
    start = begin_frame(out)
    out += _FIXED.pack(spec.key, version, correlation_id)
    if client_id is None:
        out += _INT16.pack(-1)
    else:
        raw = client_id.encode()
        if len(raw) > STRING_BYTES_MAX:
            raise StringTooLong(f"a client id of {len(raw)} bytes")
        out += _INT16.pack(len(raw)) + raw
    if version >= spec.flexible:
        out.append(0)
    encode_into(out, body, version)
    finish_frame(out, start)
    return out.joined()


def decode_response(
    cls: Any, version: int, frame: bytes | bytearray | memoryview
) -> tuple[int, Any]:
    """Decode a response's correlation id and body, as a client does; raises `Malformed`."""
    view = memoryview(frame)
    try:
        (correlation_id,) = _INT32.unpack_from(view, 0)
        position = _INT32.size
        if version >= _FLEXIBLE_RESPONSES[cls.__spec__.key]:
            position = skip_tags(view, position)
    except (struct_error, IndexError) as error:
        raise Malformed(f"header: {error}") from None
    return correlation_id, decode(cls, version, view[position:])
