"""The users of PLAIN: their JAAS line, and a supply of users that no other scenario uses."""

from __future__ import annotations

from itertools import count

ADMIN = "admin"
OWN_PASSWORD = "own-4a1fe7"
_POOL = 1000

_numbers = count()


def password_of(user: str) -> str:
    """The password of a user of PLAIN."""
    return f"word-of-{user}"


def next_user() -> str:
    """Return the name of a user of PLAIN that has not been returned before."""
    number = next(_numbers)
    assert number < _POOL, "more users are needed"
    return f"user-{number:03}"


def jaas_of_plain() -> str:
    """The line of a listener that accepts all users by PLAIN."""
    users = [ADMIN, *(f"user-{number:03}" for number in range(_POOL))]
    accepted = " ".join(f'user_{user}="{password_of(user)}"' for user in users)
    own = f'username="broker" password="{OWN_PASSWORD}"'
    return f"org.apache.kafka.common.security.plain.PlainLoginModule required {own} {accepted};"
