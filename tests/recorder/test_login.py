"""The principals of logins, from what a proxy can see."""

from __future__ import annotations

import pytest

from recorder.login import Login

SCRAM_FINAL = b"c=biws,r=abc,p=cHJvb2Y="


def logged_in(mechanism: str, *tokens: bytes, version: int = 1) -> Login:
    """A login whose tokens are all accepted."""
    login = Login()
    login.begin(mechanism, version)
    for token in tokens:
        login.token(token)
        login.accepted()
    return login


@pytest.mark.parametrize(
    ("mechanism", "tokens", "principal"),
    [
        ("PLAIN", [b"\0alice\0secret"], "User:alice"),
        ("PLAIN", [b"\0m\xc3\xbcller\0secret"], "User:müller"),
        ("PLAIN", [b"alice\0secret"], None),
        ("SCRAM-SHA-256", [b"n,,n=alice,r=abc", SCRAM_FINAL], "User:alice"),
        ("SCRAM-SHA-512", [b"n,a=x,n=a=2Cb=3Dc,r=abc", SCRAM_FINAL], "User:a,b=c"),
        ("SCRAM-SHA-256", [b"n,,n=id,r=abc,tokenauth=true", SCRAM_FINAL], None),
        ("SCRAM-SHA-256", [b"no scram", SCRAM_FINAL], None),
        ("OAUTHBEARER", [b"n,,\x01auth=Bearer x.y.\x01\x01"], None),
        ("GSSAPI", [b"\x60", b"\x60"], None),
    ],
)
def test_the_principal_is_the_name_in_the_tokens(
    mechanism: str, tokens: list[bytes], principal: str | None
) -> None:
    """Of PLAIN and SCRAM; the name of a delegation token is not its owner's."""
    assert logged_in(mechanism, *tokens).principal == principal


def test_a_principal_is_known_when_the_last_token_is_accepted() -> None:
    """A name that has not been proved is not used."""
    login = logged_in("SCRAM-SHA-256", b"n,,n=alice,r=abc")
    assert login.principal is None

    login.token(SCRAM_FINAL)
    assert login.principal is None

    login.accepted()
    assert login.principal == "User:alice"


def test_a_new_login_replaces_the_principal_when_it_ends() -> None:
    """Until then the session has the former one (KIP-368)."""
    login = logged_in("PLAIN", b"\0alice\0secret")
    login.begin("PLAIN", 1)
    login.token(b"\0bob\0secret")
    assert login.principal == "User:alice"

    login.accepted()
    assert login.principal == "User:bob"


@pytest.mark.parametrize(("mechanism", "tokens"), [("PLAIN", 1), ("SCRAM-SHA-512", 2)])
def test_raw_tokens_are_expected_after_version_0(mechanism: str, tokens: int) -> None:
    """As many as the mechanism has; requests follow."""
    assert not logged_in(mechanism, version=1).expects_raw_token

    expected = [
        logged_in(mechanism, *[SCRAM_FINAL] * sent, version=0).expects_raw_token
        for sent in range(tokens + 1)
    ]
    assert expected == [True] * tokens + [False]
