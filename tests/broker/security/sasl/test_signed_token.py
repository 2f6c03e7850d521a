"""Signed tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from broker.security.sasl.bearer import BearerToken, InvalidToken
from broker.security.sasl.json_web_keys import JsonWebKeys
from broker.security.sasl.signed_token import SignedTokens

NOW_S = 1000.0
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
OTHER_KEY = ec.generate_private_key(ec.SECP256R1())
CLAIMS: dict[str, Any] = {"sub": "alice", "iat": 990, "exp": 1100}


def key_set(path: Path) -> str:
    """The URL of a file with both keys."""
    keys = [
        json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(RSA_KEY.public_key())) | {"kid": "one"},
        json.loads(jwt.algorithms.ECAlgorithm.to_jwk(EC_KEY.public_key())) | {"kid": "two"},
    ]
    path.write_text(json.dumps({"keys": keys}))
    return path.as_uri()


@pytest.fixture
def keys(tmp_path: Path) -> JsonWebKeys:
    """Both keys."""
    return JsonWebKeys(key_set(tmp_path / "keys.json"), lambda: 0.0)


def validator(keys: JsonWebKeys, **options: Any) -> SignedTokens:
    """At the time 1000 s."""
    return SignedTokens(keys, lambda: NOW_S * 1000, **options)


def signed(
    claims: dict[str, Any], key: Any = RSA_KEY, algorithm: str = "RS256", kid: str | None = "one"
) -> str:
    """A token."""
    headers = None if kid is None else {"kid": kid}
    payload = json.dumps(claims).encode()
    return jwt.PyJWS().encode(payload, key, algorithm, headers)


@pytest.mark.parametrize(
    ("key", "algorithm", "kid"),
    [
        (RSA_KEY, "RS256", "one"),
        (RSA_KEY, "PS512", "one"),
        (EC_KEY, "ES256", "two"),
        (EC_KEY, "ES256", None),
    ],
)
def test_a_token_with_a_known_key_is_accepted(
    keys: JsonWebKeys, key: Any, algorithm: str, kid: str | None
) -> None:
    """Without a key id, all keys are tried."""
    token = signed(CLAIMS, key, algorithm, kid)

    assert validator(keys)(token) == BearerToken("alice", 1_100_000.0)


def test_the_algorithm_must_be_that_of_the_key(keys: JsonWebKeys) -> None:
    """A public key is not the secret of an HMAC, and ``none`` is no signature."""
    unsigned = signed(CLAIMS).rpartition(".")[0].partition(".")[2]
    for header in ("eyJhbGciOiJIUzI1NiIsImtpZCI6Im9uZSJ9", "eyJhbGciOiJub25lIiwia2lkIjoib25lIn0"):
        with pytest.raises(InvalidToken, match="no key"):
            validator(keys)(f"{header}.{unsigned}.c2ln")


@pytest.mark.parametrize(
    "token",
    [
        signed(CLAIMS, OTHER_KEY, "ES256", "two"),
        signed(CLAIMS, OTHER_KEY, "ES256", None),
        signed(CLAIMS, kid="three"),
        signed(CLAIMS).rpartition(".")[0] + ".",
        signed(CLAIMS).rpartition(".")[0] + ".c2ln",
        "a.b.c",
        "",
        "eyJhbGciOjF9.e30.c2ln",
    ],
)
def test_a_token_without_a_valid_signature_is_refused(keys: JsonWebKeys, token: str) -> None:
    """Another key, another key id, or no signature."""
    with pytest.raises(InvalidToken):
        validator(keys)(token)


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": None},
        {"iat": None},
        {"sub": ""},
        {"exp": 970},
        {"exp": 1010, "iat": 1011},
        {"nbf": 1031},
        {"scope": ["a", "a"]},
        {"aud": "other"},
        {"aud": None},
        {"iss": "other"},
    ],
)
def test_a_token_with_other_claims_is_refused(keys: JsonWebKeys, changes: dict[str, Any]) -> None:
    """Audience and issuer are checked if they are configured."""
    claims = CLAIMS | {"aud": ["kafka"], "iss": "me"} | changes
    claims = {name: value for name, value in claims.items() if value is not None}

    with pytest.raises(InvalidToken):
        validator(keys, audiences=frozenset({"kafka", "x"}), issuer="me")(signed(claims))


@pytest.mark.parametrize(
    "changes", [{"exp": 971, "iat": 900}, {"iat": 1090}, {"nbf": 1030}, {"scope": "a a"}]
)
def test_the_clocks_may_differ(keys: JsonWebKeys, changes: dict[str, Any]) -> None:
    """By 30 s; ``iat`` may be in the future, and a text is one scope."""
    claims = CLAIMS | {"aud": ["kafka"], "iss": "me"} | changes

    accepts = validator(keys, audiences=frozenset({"kafka"}), issuer="me")

    assert accepts(signed(claims)).name == "alice"
