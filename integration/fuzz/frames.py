"""Corrupted frames, as from a faulty client or network."""

from __future__ import annotations

import random
import struct

_ENDS = (0, 1, -1, 127, 128, 255, 32_767, 32_768, 65_535, 2**31 - 1, -(2**31), 2**31, 2**32 - 1)
_LENGTH = struct.Struct(">i")
_LONG_RUN_MAX = 20_000


def damaged(chance: random.Random, frame: bytes, others: list[bytes]) -> bytes:
    """Return *frame*, which begins with its length, with up to three kinds of corruption.

    In nine of ten cases the length is corrected, so that the content is decoded.
    """
    body = bytearray(frame[_LENGTH.size :])
    for _ in range(chance.randint(1, 3)):
        chance.choice(_DAMAGES)(chance, body)
    if others and chance.random() < 0.1:
        other = chance.choice(others)
        body[chance.randrange(len(body) + 1) :] = other[chance.randrange(len(other)) :]
    if chance.random() < 0.1:
        return _LENGTH.pack(chance.choice((-1, 0, 3, len(body) + 1, 2**31 - 1))) + bytes(body)
    return _LENGTH.pack(len(body)) + bytes(body)


def _flip_bits(chance: random.Random, body: bytearray) -> None:
    for _ in range(min(len(body), chance.choice((1, 1, 2, 8)))):
        body[chance.randrange(len(body))] ^= 1 << chance.randrange(8)


def _put_a_number(chance: random.Random, body: bytearray) -> None:
    size = chance.choice((1, 2, 4, 8))
    if len(body) >= size:
        at = chance.randrange(len(body) - size + 1)
        body[at : at + size] = (chance.choice(_ENDS) % (1 << 8 * size)).to_bytes(size, "big")


def _cut(chance: random.Random, body: bytearray) -> None:
    del body[chance.randrange(len(body) + 1) :]


def _remove(chance: random.Random, body: bytearray) -> None:
    at = chance.randrange(len(body) + 1)
    del body[at : at + chance.choice((1, 2, 4, 16))]


def _insert(chance: random.Random, body: bytearray) -> None:
    at = chance.randrange(len(body) + 1)
    body[at:at] = chance.randbytes(chance.choice((1, 2, 4, 16)))


def _repeat(chance: random.Random, body: bytearray) -> None:
    """Repeat some bytes many times: wide arrays, deep nesting, long varints."""
    if body:
        at = chance.randrange(len(body))
        part = bytes(body[at : at + chance.choice((1, 2, 3, 8, 40))])
        body[at:at] = part * chance.randrange(1, max(2, _LONG_RUN_MAX // len(part)))


def _change_api_or_version(chance: random.Random, body: bytearray) -> None:
    if len(body) >= 4:
        body[chance.choice((1, 3))] = chance.randrange(100)


_DAMAGES = (
    _flip_bits,
    _flip_bits,
    _put_a_number,
    _put_a_number,
    _cut,
    _remove,
    _insert,
    _repeat,
    _change_api_or_version,
)
