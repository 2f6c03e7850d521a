"""The messages of OAUTHBEARER."""

from __future__ import annotations

import pytest

from broker.security.sasl.bearer_messages import (
    InvalidMessage,
    error_message,
    first_message,
    parse_first,
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (first_message("a.b-_~+/."), ("a.b-_~+/.", "")),
        (b"n,,\x01auth=BEARER  t==\x01\x01", ("t==", "")),
        (b"n,a=x=2Cy,\x01auth=bearer t\x01\x01", ("t", "x,y")),
        (b"n,,\x01host=h\x01auth=bearer t\x01port=1 2\x01\x01", ("t", "")),
    ],
)
def test_a_message_has_a_token(message: bytes, expected: tuple[str, str]) -> None:
    """And extensions, which have no meaning here."""
    assert parse_first(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"n,,\x01\x01",
        b"n,,\x01auth=bearer t\x01",
        b"y,,\x01auth=bearer t\x01\x01",
        b"n,,\x01auth=basic t\x01\x01",
        b"n,,\x01auth=bearer\x01\x01",
        b"n,,\x01auth=bearer t,u\x01\x01",
        b"n,,\x01other=bearer t\x01\x01",
        b"n,,\x01auth=bearer t\x01k=\x01\x01",
        b"n,,\x01a1=x\x01auth=bearer t\x01\x01",
        b"n,,\x01auth=bearer \xc3\xa4\x01\x01",
    ],
)
def test_another_message_is_invalid(message: bytes) -> None:
    """Another scheme, too."""
    with pytest.raises(InvalidMessage):
        parse_first(message)


def test_an_error_is_json() -> None:
    """With the scope that is missing."""
    assert error_message(None) == '{"status":"invalid_token"}'
    assert error_message('a"') == '{"status":"insufficient_scope", "scope":"a\\""}'
