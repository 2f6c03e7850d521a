"""Tests of UTF-8 as Java decodes it, against results of `new String(bytes, UTF_8)` on a JVM."""

from __future__ import annotations

import pytest

from protocol.java_text import JAVA_REPLACE

BAD = "\ufffd"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain \xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\x98\x80", "plain ä 漢 😀"),
        (b"a\xffb", f"a{BAD}b"),
        (b"\x80\xbf", BAD * 2),
        (b"\xc0\x80", BAD * 2),  # NUL in two bytes
        (b"\xc3", BAD),
        (b"\xe0\x80\x80", BAD * 3),
        (b"\xe6\xbc", BAD),
        (b"\xe6\xbcx", f"{BAD}x"),
        (b"\xf0\x9f\x98", BAD),
        (b"\xf4\x90\x80\x80", BAD * 4),  # beyond U+10FFFF
        (b"\xed\xa0\x80", BAD),  # a surrogate is one
        (b"\xed\xa0\x80\xed\xb0\x80", BAD * 2),
        (b"\xed\xbf", BAD),  # half a surrogate
        (b"\xed\xa0x", f"{BAD}x"),
        (b"\xed\xa0\xed\xa0\x80z", f"{BAD * 2}z"),
    ],
)
def test_malformed_bytes_are_replaced_as_java_does(raw: bytes, text: str) -> None:
    """Each sequence that Java treats as one becomes one U+FFFD."""
    assert str(memoryview(raw), "utf-8", JAVA_REPLACE) == text
