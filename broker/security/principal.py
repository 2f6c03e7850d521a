"""The authenticated identity of a client (``org.apache.kafka.common.security.auth``)."""

from __future__ import annotations

from typing import Final, NamedTuple

USER_TYPE: Final = "User"


class Principal(NamedTuple):
    """A type, which is ``User`` for every client, and a name; as text ``User:alice``."""

    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type}:{self.name}"


def user(name: str) -> Principal:
    """The principal of a user."""
    return Principal(USER_TYPE, name)


def parse_principal(text: str) -> Principal:
    """The principal that *text* names; raises `ValueError` unless it is ``Type:name``.

    The name is what follows the first colon, and may be empty, as in Kafka's ``SecurityUtils``.
    """
    kind, colon, name = text.partition(":")
    if not colon:
        raise ValueError(f"{text!r} is not a principal of the form Type:name")
    return Principal(kind, name)


ANONYMOUS: Final = user("ANONYMOUS")
