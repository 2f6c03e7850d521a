"""Kafka's messages for invalid values, for error responses.

Kafka's ``ConfigDef`` first parses the Java type, then calls the key's validator. At the start of
the broker an invalid value is a `ConfigError`, whose message names the remedy.
"""

from __future__ import annotations

from broker.common.java_strings import trimmed
from broker.config.kinds import (
    INT_MAX,
    LONG_MAX,
    SHORT_MAX,
    AnyList,
    Boolean,
    Choice,
    ClassName,
    ConfigType,
    CountsByAddress,
    Decimal,
    Integer,
    InvalidValue,
    Kind,
    ListOf,
    OffsetReset,
    PrincipalList,
    ReplicaList,
    Secret,
    Text,
    format_value,
    int32,
    is_address,
)

_TYPE_MAX = {
    ConfigType.SHORT: SHORT_MAX,
    ConfigType.INT: INT_MAX,
    ConfigType.LONG: LONG_MAX,
}


def invalid_value(name: str, kind: Kind, text: str) -> str:
    """The message for a *text* for which ``kind.parse`` raises `InvalidValue`."""
    if isinstance(kind, CountsByAddress):
        return _not_the_counts(name, text)
    if isinstance(kind, ListOf) and trimmed(text) and not _first_invalid(kind, text):
        return empty_entry(name)
    shown, reason = _shown_and_reason(name, kind, text)
    return f"Invalid value {shown} for configuration {name}: {reason}"


def _shown_and_reason(name: str, kind: Kind, text: str) -> tuple[str, str]:
    """The value as Kafka shows it, and what is wrong with it."""
    assert not isinstance(kind, CountsByAddress), "it has a message of its own"
    shown = trimmed(text)
    match kind:
        case Integer():
            shown, reason = _not_the_integer(kind, text)
        case Decimal():
            shown, reason = _not_the_decimal(kind, text)
        case PrincipalList():
            reason = f"Value must be {kind.allowed}"
        case ReplicaList():
            shown = f"[{', '.join(trimmed(entry) for entry in text.split(','))}]"
            replicas = ",".join(["[partitionId]:[brokerId]"] * 2)
            reason = (
                f"{name} must be the literal '*' or a list of replicas in the following format: "
                f"{replicas},..."
            )
        case Boolean():
            shown, reason = text, "Expected value to be either true or false"
        case ClassName():
            reason = f"Class {shown} could not be found."
        case OffsetReset():
            reason = (
                f"Invalid value `{shown}` for configuration {name}. The value must be either "
                "'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'."
            )
        case AnyList() | Secret() | Text():
            reason = "String must be non-empty"
        case _:
            reason = "String must be one of: " + ", ".join(kind.values)
            if kind.config_type is ConfigType.LIST:
                shown = _first_invalid(kind, text)
    return shown, reason


def has_empty_entry(text: str) -> bool:
    """Whether a list that is not empty has an empty entry."""
    return bool(trimmed(text)) and not all(trimmed(entry) for entry in text.split(","))


def empty_entry(name: str) -> str:
    """The message for a list with an empty entry."""
    return f"Configuration '{name}' values must not be empty."


def _first_invalid(kind: Choice, text: str) -> str:
    return next(trimmed(w) for w in text.split(",") if trimmed(w) not in kind.values)


def _not_the_counts(name: str, text: str) -> str:
    """The message of the exception that ends Kafka's ``SocketServerConfigs`` or ``KafkaConfig``."""
    entries = [trimmed(entry) for entry in text.split(",") if trimmed(entry)]
    for entry in entries:
        if ":" not in entry:
            parsing = f"Error parsing configuration property '{name}'"
            return f"{parsing}: begin 0, end -1, length {len(entry)}"
    addresses = []
    for entry in entries:
        address, _, number = entry.rpartition(":")
        try:
            int32().parse(number)
        except InvalidValue:
            return f'For input string: "{trimmed(number)}"'
        if not is_address(trimmed(address)):
            addresses.append(trimmed(address))
    return f"{name} contains invalid addresses : {','.join(addresses)}"


def _not_the_integer(kind: Integer, text: str) -> tuple[str, str]:
    """The text as it was sent, or its number, and what is wrong with it."""
    type_max = _TYPE_MAX[kind.config_type]
    try:
        value = Integer(kind.config_type, -type_max - 1, type_max).parse(text)
    except InvalidValue:
        return text, f"Not a number of type {kind.config_type.name}"
    assert isinstance(value, int)
    if kind.also is not None and kind.high < type_max:
        also = f"or equal to {kind.also}"
        return str(value), f"Value must be between {kind.low} and {kind.high} {also}"
    return str(value), _outside(value, kind.low, kind.high)


def _not_the_decimal(kind: Decimal, text: str) -> tuple[str, str]:
    """The text as it was sent, or its number as Java writes it, and what is wrong with it."""
    try:
        value = Decimal().parse(text)
    except InvalidValue:
        return text, "Not a number of type DOUBLE"
    assert isinstance(value, float)
    return str(format_value(value)), _outside(value, kind.low, kind.high)


def _outside(value: float, low: float, high: float) -> str:
    if value < low:
        return f"Value must be at least {low}"
    return f"Value must be no more than {high}"
