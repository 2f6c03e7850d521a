"""Signed tokens (JWT), and the file with the keys that brokers check them with."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from integration.machine.once import once
from integration.security.certificates import certificates

AUDIENCE, ISSUER = "antechamber-tests", "https://issuer.example"
RSA_ID, EC_ID = "rsa-key", "ec-key"

_RSA_BITS = 2048


def key_set() -> Path:
    """The file with the public keys (a JWK set)."""
    return _keys()[0]


def signed_token(
    subject: str | None,
    lifetime_s: float = 3600,
    *,
    key_id: str | None = RSA_ID,
    with_key: str = RSA_ID,
    **claims: Any,
) -> str:
    """A token that *with_key* signs and whose header names *key_id*; None leaves out a claim."""
    now = int(time.time())
    every = {
        "sub": subject,
        "iat": now - 1,
        "exp": now + int(lifetime_s),
        "aud": AUDIENCE,
        "iss": ISSUER,
        **claims,
    }
    kept = {name: value for name, value in every.items() if value is not None}
    algorithm = "ES256" if with_key == EC_ID else "RS256"
    headers = {} if key_id is None else {"kid": key_id}
    return jwt.encode(kept, _keys()[1][with_key], algorithm=algorithm, headers=headers)


@once
def _keys() -> tuple[Path, dict[str, Any]]:
    private: dict[str, Any] = {
        RSA_ID: rsa.generate_private_key(65537, _RSA_BITS),
        EC_ID: ec.generate_private_key(ec.SECP256R1()),
        "stranger": rsa.generate_private_key(65537, _RSA_BITS),
    }
    published = [
        {
            **jwt.algorithms.RSAAlgorithm.to_jwk(private[RSA_ID].public_key(), as_dict=True),
            "kid": RSA_ID,
            "use": "sig",
            "alg": "RS256",
        },
        {
            **jwt.algorithms.ECAlgorithm.to_jwk(private[EC_ID].public_key(), as_dict=True),
            "kid": EC_ID,
            "use": "sig",
            "alg": "ES256",
        },
    ]
    path = certificates().authority.folder / "keys.json"
    path.write_text(json.dumps({"keys": published}))
    return path, private
