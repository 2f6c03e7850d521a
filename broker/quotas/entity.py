"""The entities of quotas, and which quotas each can have (Kafka's ``ClientQuotaControlManager``).

An entity is a user, a client id, both together, or an IP address. The name None is the default for
all that have no quota of their own.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from broker.common.errors import ApiError
from broker.common.java_hash import in_checked_order
from broker.config.kinds import INT_MAX, LONG_MAX
from protocol.errors import ErrorCode

USER, CLIENT_ID, IP = "user", "client-id", "ip"
TYPES = (USER, CLIENT_ID, IP)

# Types with names, sorted by type, so that equal entities have equal keys.
Entity = tuple[tuple[str, str | None], ...]
# The quotas of an entity, by key.
Quotas = Mapping[str, float]

PRODUCER_BYTE_RATE, CONSUMER_BYTE_RATE = "producer_byte_rate", "consumer_byte_rate"
REQUEST_PERCENTAGE, CONTROLLER_MUTATION_RATE = "request_percentage", "controller_mutation_rate"
CONNECTION_CREATION_RATE = "connection_creation_rate"

# For a quota that must be an integer, Kafka's name of its type and the largest value; else None.
_Whole = tuple[str, int] | None
_OF_CLIENTS: Mapping[str, _Whole] = MappingProxyType(
    {
        PRODUCER_BYTE_RATE: ("a LONG", LONG_MAX),
        CONSUMER_BYTE_RATE: ("a LONG", LONG_MAX),
        REQUEST_PERCENTAGE: None,
        CONTROLLER_MUTATION_RATE: None,
    }
)
_OF_ADDRESSES: Mapping[str, _Whole] = MappingProxyType(
    {CONNECTION_CREATION_RATE: ("an INT", INT_MAX)}
)
_FRACTION_MAX = 1e-6


def entity_of(named: Iterable[tuple[str, str | None]]) -> Entity:
    """The entity of these types and names; the last name of a type applies."""
    return tuple(sorted(dict(named).items(), key=lambda each: each[0]))


def in_java_order(entity: Entity) -> Entity:
    """The entity in the order of a hash table of its types, over which Kafka iterates.

    Types in the same bucket are sorted; in Kafka they have the order of the request.
    """
    names = dict(entity)
    return tuple((kind, names[kind]) for kind in in_checked_order(names, len(names)))


def altered(entity: Entity, before: Quotas, changes: Mapping[str, float | None]) -> Quotas:
    """The quotas of *entity* after *changes*, None removes one.

    Raises `ApiError` INVALID_REQUEST for an invalid entity or quota.
    """
    allowed = _keys_of(entity)
    after = dict(before)
    for key in in_checked_order(changes, len(changes)):
        value = changes[key]
        if value is None:
            after.pop(key, None)
        else:
            _check_value(allowed, key, value)
            after[key] = value
    return after


def _keys_of(entity: Entity) -> Mapping[str, _Whole]:
    names = dict(entity)
    for kind, name in in_java_order(entity):
        if kind not in TYPES:
            raise _invalid(f"Unhandled client quota entity type: {kind}")
        if name == "":
            raise _invalid(f"Empty {kind} not supported")
    if not names:
        raise _invalid("Invalid empty client quota entity")
    if IP not in names:
        return _OF_CLIENTS
    if len(names) > 1:
        raise _invalid(
            "Invalid quota entity combination, IP entity shouldnot be combined with User or "
            "ClientId"
        )
    if not _is_address(names[IP]):
        raise _invalid(f"{names[IP]} is not a valid IP or resolvable host.")
    return _OF_ADDRESSES


def _is_address(name: str | None) -> bool:
    if name is None or name == "localhost":
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _check_value(allowed: Mapping[str, _Whole], key: str, value: float) -> None:
    if key not in allowed:
        raise _invalid(f"Invalid configuration key {key}")
    if value <= 0:  # NaN is accepted, as in Kafka, and throttles no client
        raise _invalid(f"Quota {key} must be greater than 0")
    if (whole := allowed[key]) is None:
        return
    type_name, most = whole
    if value > float(most):  # as Java compares: the double next to the largest long is 2**63
        raise _invalid(f"Proposed value for {key} is too large for {type_name}.")
    if value % 1 > _FRACTION_MAX:
        raise _invalid(f"{key} cannot be a fractional value.")


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
