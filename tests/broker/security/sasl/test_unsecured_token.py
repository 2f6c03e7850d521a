"""Unsecured tokens."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from broker.security.sasl.bearer import BearerToken, InvalidToken
from broker.security.sasl.unsecured_token import (
    InvalidOption,
    UnsecuredTokens,
    unsecured_token,
)

NOW_S = 1000.0


def token(*, header: dict[str, Any] | None = None, signature: str = "", **claims: Any) -> str:
    """A token with these claims."""
    parts = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "none"} if header is None else header, claims)
    )
    return f"{'.'.join(parts)}.{signature}"


def validator(**options: str) -> UnsecuredTokens:
    """At the time 1000 s."""
    given = {f"unsecuredValidator{name}": value for name, value in options.items()}
    return UnsecuredTokens.of(given, lambda: NOW_S * 1000)


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "alice", "exp": 1001},
        {"sub": "alice", "exp": 1001, "iat": 1000},
        {"sub": "alice", "exp": 1.001e3, "iat": 2, "nbf": 5000, "scope": "a b"},
    ],
)
def test_a_token_is_accepted_until_it_expires(claims: dict[str, Any]) -> None:
    """The claim ``nbf`` has no meaning, as in Kafka."""
    assert validator()(token(**claims)) == BearerToken("alice", 1_001_000.0)


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": 1001},
        {"sub": " ", "exp": 1001},
        {"sub": "alice"},
        {"sub": "alice", "exp": "1001"},
        {"sub": "alice", "exp": 1000},
        {"sub": "alice", "exp": 1002, "iat": 1001},
        {"sub": "alice", "exp": 1001, "iat": 1001},
        {"sub": "alice", "exp": 1001, "header": {"alg": "RS256"}},
        {"sub": "alice", "exp": 1001, "header": {}},
        {"sub": "alice", "exp": 1001, "signature": "c2ln"},
        {"sub": "alice", "exp": 1001, "signature": ".x"},
        {"sub": "alice", "exp": 1001, "scope": 1},
    ],
)
def test_another_token_is_invalid(claims: dict[str, Any]) -> None:
    """It has no scope that is missing."""
    with pytest.raises(InvalidToken) as invalid:
        validator()(token(**claims))

    assert invalid.value.scope is None


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ('{"sub":null,"exp":1001}', "null"),
        ('{"sub":true,"exp":1001}', "true"),
        ('{"sub":"u","exp":1001,"scope":null}', "u"),
        ('{"sub":"u","exp":1001,"scope":{"a":1}}', "u"),
        ('{"sub":"u","exp":1001,"scope":["a",1,null,[]]}', "u"),
        (' {"sub":"u","exp":1001} x', "u"),
    ],
)
def test_claims_are_texts_numbers_or_lists_of_texts(claims: str, name: str) -> None:
    """Other values are converted to text, and what follows the object is ignored, as in Kafka."""
    header, _, _ = token().split(".")
    encoded = base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=")

    assert validator()(f"{header}.{encoded}.").name == name


@pytest.mark.parametrize(
    "claims",
    ['{"sub":"u","exp":1001,"iat":null}', '{"sub":"u","exp":NaN}', '{"sub":[],"exp":1001}'],
)
def test_times_are_numbers_and_the_name_a_text(claims: str) -> None:
    """A null is a text, and NaN is no JSON."""
    header, _, _ = token().split(".")
    encoded = base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=")

    with pytest.raises(InvalidToken):
        validator()(f"{header}.{encoded}.")


def test_the_clocks_may_differ() -> None:
    """By ``unsecuredValidatorAllowableClockSkewMs``."""
    accepts = validator(AllowableClockSkewMs="2000")

    assert accepts(token(sub="alice", exp=999)).expires_ms == 999_000
    assert accepts(token(sub="alice", exp=1005, iat=1002))
    with pytest.raises(InvalidToken):
        accepts(token(sub="alice", exp=998))
    with pytest.raises(InvalidToken):
        accepts(token(sub="alice", exp=1005, iat=1003))


def test_scopes_may_be_required() -> None:
    """All of them; a text is one scope."""
    accepts = validator(RequiredScope="a b", ScopeClaimName="scp")

    assert accepts(token(sub="alice", exp=1001, scp=["b", "a", "c"]))
    for scopes in (["a"], "a b", []):
        with pytest.raises(InvalidToken) as invalid:
            accepts(token(sub="alice", exp=1001, scp=scopes))
        assert invalid.value.scope == "a b"


def test_another_claim_may_have_the_name() -> None:
    """``unsecuredValidatorPrincipalClaimName``."""
    assert validator(PrincipalClaimName="id")(token(id="bob", exp=1001)).name == "bob"


def test_an_option_that_is_not_a_number_is_refused() -> None:
    """At the start."""
    with pytest.raises(InvalidOption, match="unsecuredValidatorAllowableClockSkewMs"):
        validator(AllowableClockSkewMs="x")


def test_a_token_is_made_from_the_options_of_a_login() -> None:
    """The validator accepts it."""
    made = unsecured_token(
        {
            "unsecuredLoginStringClaim_sub": "alice",
            "unsecuredLoginNumberClaim_x": "1.5",
            "unsecuredLoginListClaim_scope": "|a|b",
            "unsecuredLoginLifetimeSeconds": "60",
        },
        NOW_S * 1000,
    )

    claims = json.loads(base64.urlsafe_b64decode(made.split(".")[1] + "=="))
    assert claims == {"iat": 1000, "exp": 1060, "sub": "alice", "x": 1.5, "scope": ["a", "b"]}
    assert validator(RequiredScope="a")(made).name == "alice"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"unsecuredLoginStringClaim_sub": "a", "unsecuredLoginNumberClaim_x": "y"},
        {"unsecuredLoginStringClaim_sub": "a", "unsecuredLoginLifetimeSeconds": "-1"},
    ],
)
def test_a_login_needs_valid_options(options: dict[str, str]) -> None:
    """A name, and numbers."""
    with pytest.raises(InvalidOption):
        unsecured_token(options, 0)
