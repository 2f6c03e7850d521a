"""SCRAM credentials in options of the command line (KIP-900).

--add-scram 'SCRAM-SHA-256=[name=alice,password=secret]'     as in kafka-storage.sh format
--user alice:secret                                          for both SCRAM mechanisms
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, NamedTuple

from broker.security.sasl.credentials import (
    HASHES,
    ITERATIONS_MAX,
    ITERATIONS_MIN,
    ScramCredential,
    credential_of,
    derive,
)
from broker.security.sasl.scram import new_salt
from protocol.lazy_pattern import LazyPattern

_FORM: Final = "MECHANISM=[name=NAME,password=PASSWORD]"
_OPTION = LazyPattern(r"(?P<mechanism>[^=]*)=\[(?P<parts>.*)\]", re.DOTALL)
_PARTS: Final = frozenset({"name", "password", "saltedpassword", "salt", "iterations"})


class InvalidScram(ValueError):  # noqa: N818 - it names the condition
    """An option that cannot be read; the message has no part of it, which may be a secret."""


class UserCredential(NamedTuple):
    """The credential of a user for one mechanism."""

    user: str
    mechanism: str
    credential: ScramCredential


def parse_user(text: str) -> list[UserCredential]:
    """The credentials of ``NAME:PASSWORD`` for all mechanisms; raises `InvalidScram`."""
    name, colon, password = text.partition(":")
    if not (name and colon and password):
        raise InvalidScram("the value is not NAME:PASSWORD")
    return [
        UserCredential(name, mechanism, derive(mechanism, password, new_salt()))
        for mechanism in HASHES
    ]


def parse_scram(text: str) -> UserCredential:
    """The credential of a value of ``--add-scram``; raises `InvalidScram`."""
    found = _OPTION.compiled.fullmatch(text)
    if found is None:
        raise InvalidScram(f"the value is not {_FORM}")
    mechanism = found["mechanism"].strip()
    if mechanism not in HASHES:
        raise InvalidScram(f"the mechanism is not one of {', '.join(HASHES)}")
    given = _parts(found["parts"])
    if not given.get("name"):
        raise InvalidScram("the part name is missing")
    if ("password" in given) == ("saltedpassword" in given):
        raise InvalidScram("give one of password and saltedpassword")
    if "saltedpassword" in given and "salt" not in given:
        raise InvalidScram("the part salt is missing; it belongs to saltedpassword")
    iterations = _iterations(given.get("iterations", str(ITERATIONS_MIN)))
    salt = _decoded("salt", given["salt"]) if "salt" in given else new_salt()
    if "password" in given:
        credential = derive(mechanism, given["password"], salt, iterations)
    else:
        salted = _decoded("saltedpassword", given["saltedpassword"])
        credential = credential_of(mechanism, salted, salt, iterations)
    return UserCredential(given["name"], mechanism, credential)


def _parts(text: str) -> dict[str, str]:
    """The parts by name; a value may be in double quotes, and cannot have a comma."""
    given = {}
    for part in text.split(","):
        key, equals, value = (each.strip() for each in part.partition("="))
        if key not in _PARTS or not equals:
            raise InvalidScram(f"a part is not one of {', '.join(sorted(_PARTS))} with = after it")
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        if not value:
            raise InvalidScram(f"the part {key} is empty")
        given[key] = value
    return given


def _iterations(text: str) -> int:
    limits = f"iterations is not a whole number from {ITERATIONS_MIN} to {ITERATIONS_MAX}"
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(ITERATIONS_MAX)):
        raise InvalidScram(limits)
    if not ITERATIONS_MIN <= int(text) <= ITERATIONS_MAX:
        raise InvalidScram(limits)
    return int(text)


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise InvalidScram(f"the part {name} is not Base64") from None
