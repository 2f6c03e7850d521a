"""Kafka's messages for invalid values, for error responses.

Kafka's ``ConfigDef`` first parses the Java type, then calls the key's validator. At the start of
the broker an invalid value is a `ConfigError`, whose message names the remedy.
"""

from __future__ import annotations

from broker.config.kinds import (
    INT_MAX,
    LONG_MAX,
    SHORT_MAX,
    AnyList,
    Boolean,
    ClassName,
    ConfigType,
    CountsByAddress,
    Decimal,
    Integer,
    InvalidValue,
    Kind,
    OffsetReset,
    PrincipalList,
    ReplicaList,
    Secret,
    Text,
    format_value,
)

_TYPE_MAX = {
    ConfigType.SHORT: SHORT_MAX,
    ConfigType.INT: INT_MAX,
    ConfigType.LONG: LONG_MAX,
}


def invalid_value(name: str, kind: Kind, text: str) -> str:
    """The message for a *text* for which ``kind.parse`` raises `InvalidValue`."""
    shown = text.strip()
    match kind:
        case Integer():
            reason = _not_the_integer(kind, text)
        case Decimal():
            shown, reason = _not_the_decimal(kind, shown)
        case CountsByAddress() | PrincipalList():
            reason = f"Value must be {kind.allowed}"
        case ReplicaList():
            shown = f"[{', '.join(entry.strip() for entry in text.split(','))}]"
            replicas = ",".join(["[partitionId]:[brokerId]"] * 2)
            reason = (
                f"{name} must be the literal '*' or a list of replicas in the following format: "
                f"{replicas},..."
            )
        case Boolean():
            reason = "Expected value to be either true or false"
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
                shown = next(w.strip() for w in text.split(",") if w.strip() not in kind.values)
    return f"Invalid value {shown} for configuration {name}: {reason}"


def _not_the_integer(kind: Integer, text: str) -> str:
    type_max = _TYPE_MAX[kind.config_type]
    try:
        value = Integer(kind.config_type, -type_max - 1, type_max).parse(text)
    except InvalidValue:
        return f"Not a number of type {kind.config_type.name}"
    assert isinstance(value, int)
    if kind.also is not None and kind.high < type_max:
        return f"Value must be between {kind.low} and {kind.high} or equal to {kind.also}"
    return _outside(value, kind.low, kind.high)


def _not_the_decimal(kind: Decimal, text: str) -> tuple[str, str]:
    """The value as Java writes it, and what is wrong with it."""
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
