"""Which quota applies to a client: the most specific one (``ClientQuotaManager``, KIP-55).

A quota of user and client id precedes one of the user, which precedes one of the client id; each
precedes the default of its type. Clients that share a user's quota share its rate. The user is the
name of the client's principal: ANONYMOUS if it has not authenticated, the owner of a delegation
token.
"""

from __future__ import annotations

from typing import NamedTuple

from broker.quotas.entity import CLIENT_ID, USER, Entity, Quotas

# A user and a client id: the clients that share a rate. None: any.
Sharing = tuple[str | None, str | None]


class Limit(NamedTuple):
    """The limit per second, the entity that has it, and the clients that share it."""

    per_second: float
    entity: Entity
    shared_by: Sharing


class ClientLimits:
    """The quotas of one *key*, such as ``producer_byte_rate``."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._limits: dict[Entity, float] = {}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._limits)

    def put(self, entity: Entity, quotas: Quotas) -> None:
        """Apply the quotas of *entity* from now on, and none that it had before."""
        if self._key in quotas:
            self._limits[entity] = quotas[self._key]
        else:
            self._limits.pop(entity, None)

    def clear(self) -> None:
        """Remove all of them."""
        self._limits.clear()

    def of(self, user: str, client_id: str | None) -> Limit | None:
        """The limit of a client; None if it has no quota.

        No quota of client ids applies to an empty client id, the default one included.
        """
        candidates = _with_client_id(user, client_id) if client_id else _of_user(user)
        for entity, shared_by in candidates:
            if (per_second := self._limits.get(entity)) is not None:
                return Limit(per_second, entity, shared_by)
        return None


def _with_client_id(user: str, client_id: str) -> tuple[tuple[Entity, Sharing], ...]:
    """The entities whose quota may apply, the most specific first, and who shares it."""
    both, one = (user, client_id), (None, client_id)
    return (
        (((CLIENT_ID, client_id), (USER, user)), both),
        (((CLIENT_ID, None), (USER, user)), both),
        (((USER, user),), (user, None)),
        (((CLIENT_ID, client_id), (USER, None)), both),
        (((CLIENT_ID, None), (USER, None)), both),
        (((USER, None),), (user, None)),
        (((CLIENT_ID, client_id),), one),
        (((CLIENT_ID, None),), one),
    )


def _of_user(user: str) -> tuple[tuple[Entity, Sharing], ...]:
    """As `_with_client_id`, for clients without a client id."""
    return (((USER, user),), (user, None)), (((USER, None),), (user, None))
