"""The messages of SCRAM."""

from __future__ import annotations

import pytest

from broker.security.sasl.scram_messages import (
    ClientFirst,
    InvalidMessage,
    escaped,
    parse_client_final,
    parse_client_first,
    parse_server_final,
    parse_server_first,
)


def test_the_first_message_of_a_client() -> None:
    """Names are unescaped; what is signed is what was received."""
    message = parse_client_first(b"n,a=a=2Cb,n=a=3D=2Cb,r=x=y,tokenauth=true,e=1")

    assert message == ClientFirst(
        "a,b", "a=,b", "x=y", "n=a=3D=2Cb,r=x=y,tokenauth=true,e=1", {"tokenauth": "true", "e": "1"}
    )


def test_a_mandatory_extension_is_ignored() -> None:
    """It is not signed, as in Kafka."""
    assert parse_client_first(b"n,,m=ext,n=a,r=x").bare == "n=a,r=x"


@pytest.mark.parametrize(
    "token",
    [
        b"",
        b"y,,n=a,r=x",
        b"p=tls-unique,,n=a,r=x",
        b"n,,m=,n=a,r=x",
        b"n,,n=a,m=ext,r=x",
        b"n,,n=,r=x",
        b"n,,n=a,r=",
        b"n,,n=a=b,r=x",
        b"n,,n=a,r=x y",
        b"n,,n=a,r=x,",
        "n,,n=jürgen,r=x".encode(),
        b"n,,n=a,r=x\n",
    ],
)
def test_another_first_message_is_invalid(token: bytes) -> None:
    """Channel bindings are not supported."""
    with pytest.raises(InvalidMessage):
        parse_client_first(token)


def test_the_first_message_of_a_server() -> None:
    """The salt is Base64 text."""
    assert parse_server_first(b"r=xy,s=c2FsdA==,i=4096") == ("xy", b"salt", 4096)


def test_the_final_message_of_a_client() -> None:
    """Everything before the proof is signed."""
    message = parse_client_final(b"c=biws,r=xy,e=1,p=cHJvb2Y=")

    assert message == ("xy", "c=biws,r=xy,e=1", b"proof")


@pytest.mark.parametrize("token", [b"", b"c=biws,r=x", b"c=biws,r=x,p=a", b"c=!,r=x,p=cHJv"])
def test_another_final_message_is_invalid(token: bytes) -> None:
    """Base64 without its padding, too."""
    with pytest.raises(InvalidMessage):
        parse_client_final(token)


def test_the_final_message_of_a_server() -> None:
    """An error of the server is not accepted."""
    assert parse_server_final(b"v=cHJvb2Y=") == b"proof"
    with pytest.raises(InvalidMessage):
        parse_server_final(b"e=other-error")


def test_a_name_is_escaped() -> None:
    """Commas and equals signs."""
    assert escaped("a=,b") == "a=3D=2Cb"
