"""The kinds of values of configuration keys: a type, a range, parsing and formatting.

Parsing follows Kafka's ``ConfigDef``: whitespace around a value is ignored, numbers are decimal
with an optional sign, booleans are ``true`` or ``false`` in any case, lists are separated by
commas.
"""

from __future__ import annotations

import math
import re
import sys
from enum import IntEnum

from broker.common.java_strings import trimmed
from broker.config.java_doubles import read_double, write_double
from protocol.lazy_dataclass import dataclass
from protocol.lazy_pattern import LazyPattern

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
DOUBLE_MAX = sys.float_info.max
SHORT_MAX = 2**15 - 1

Value = bool | int | float | str | tuple[str, ...] | None

_INTEGER = re.compile(r"[+-]?[0-9]+")


class ConfigType(IntEnum):
    """The types of DescribeConfigs (``DescribeConfigsResponse.ConfigType``)."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class InvalidValue(ValueError):  # noqa: N818 - it names the condition
    """A value that its key does not allow; the message describes the allowed values."""


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer in a range; ``also`` is an allowed value outside of the range."""

    config_type: ConfigType
    low: int
    high: int
    also: int | None = None

    def parse(self, text: str) -> Value:
        """Read the number; raises `InvalidValue`."""
        stripped = trimmed(text)
        # Check the length first: `int` raises another ValueError for 5000 digits.
        if len(stripped) > 40 or not _INTEGER.fullmatch(stripped):
            raise InvalidValue(self.allowed)
        value = int(stripped)
        if not self.low <= value <= self.high and value != self.also:
            raise InvalidValue(self.allowed)
        return value

    @property
    def allowed(self) -> str:
        """The allowed range, for messages."""
        extra = "" if self.also is None else f", or {self.also}"
        return f"a whole number from {self.low} to {self.high}{extra}"


@dataclass(frozen=True, slots=True)
class Decimal:
    """A floating-point number in a range, or NaN, which Kafka accepts for every range."""

    low: float = -math.inf
    high: float = math.inf
    config_type: ConfigType = ConfigType.DOUBLE

    def parse(self, text: str) -> Value:
        """Read the number; raises `InvalidValue`."""
        value = read_double(trimmed(text))
        if value is None or value < self.low or value > self.high:
            raise InvalidValue(self.allowed)
        return value

    @property
    def allowed(self) -> str:
        """The allowed range, for messages."""
        if self.low == -math.inf:
            return "a number"
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false."""

    config_type: ConfigType = ConfigType.BOOLEAN
    allowed: str = "true or false"

    def parse(self, text: str) -> Value:
        """Read the boolean; raises `InvalidValue`."""
        match trimmed(text).lower():
            case "true":
                return True
            case "false":
                return False
            case _:
                raise InvalidValue(self.allowed)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several values, case-sensitive."""

    values: tuple[str, ...]
    config_type: ConfigType = ConfigType.STRING

    def parse(self, text: str) -> Value:
        """Read the value; raises `InvalidValue`."""
        if trimmed(text) not in self.values:
            raise InvalidValue(self.allowed)
        return trimmed(text)

    @property
    def allowed(self) -> str:
        """The allowed values, for messages."""
        return "one of " + ", ".join(value or "(empty)" for value in self.values)


@dataclass(frozen=True, slots=True)
class OneOfAnyCase:
    """One of several values, in any case; ``lowered`` converts it to lower case."""

    values: tuple[str, ...]
    lowered: bool = True
    config_type: ConfigType = ConfigType.STRING

    def parse(self, text: str) -> Value:
        """Read the value; raises `InvalidValue`."""
        if trimmed(text).upper() not in self.values:
            raise InvalidValue(self.allowed)
        return trimmed(text).lower() if self.lowered else trimmed(text)

    @property
    def allowed(self) -> str:
        """The allowed values, for messages."""
        return "one of " + ", ".join(self.values) + ", in any case"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of some of these values; an empty list is allowed with ``may_be_empty`` (KIP-1161)."""

    values: tuple[str, ...]
    config_type: ConfigType = ConfigType.LIST
    may_be_empty: bool = True

    def parse(self, text: str) -> Value:
        """Read the entries in order, without duplicates; raises `InvalidValue`."""
        if not trimmed(text):
            if not self.may_be_empty:
                raise InvalidValue(self.allowed)
            return ()
        given = [trimmed(entry) for entry in text.split(",")]
        if any(entry not in self.values for entry in given):
            raise InvalidValue(self.allowed)
        return tuple(dict.fromkeys(given))

    @property
    def allowed(self) -> str:
        """The allowed values, for messages."""
        return "a list of " + ", ".join(self.values) + ", separated by commas"


@dataclass(frozen=True, slots=True)
class AnyList:
    """A list of any entries, without duplicates."""

    config_type: ConfigType = ConfigType.LIST
    allowed: str = "a list, separated by commas"

    def parse(self, text: str) -> Value:
        """Read the entries; every text is valid."""
        entries = (trimmed(entry) for entry in text.split(","))
        return tuple(dict.fromkeys(entry for entry in entries if entry))


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; ``empty`` allows an empty one."""

    empty: bool = True
    config_type: ConfigType = ConfigType.STRING

    def parse(self, text: str) -> Value:
        """Read the text; raises `InvalidValue` for an empty one that is not allowed."""
        if not trimmed(text) and not self.empty:
            raise InvalidValue(self.allowed)
        return trimmed(text)

    @property
    def allowed(self) -> str:
        """The allowed texts, for messages."""
        return "a text" if self.empty else "a text that is not empty"


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that is never returned to clients."""

    config_type: ConfigType = ConfigType.PASSWORD
    allowed: str = "a secret text"

    def parse(self, text: str) -> Value:
        """Read the text."""
        return trimmed(text)


@dataclass(frozen=True, slots=True)
class ClassName:
    """The name of a Java class; only the default is allowed, since no class can be loaded."""

    default: str | None = None
    config_type: ConfigType = ConfigType.CLASS

    def parse(self, text: str) -> Value:
        """Read the name; raises `InvalidValue`."""
        if trimmed(text) != self.default:
            raise InvalidValue(self.allowed)
        return trimmed(text)

    @property
    def allowed(self) -> str:
        """The allowed class, for messages."""
        return self.default or "set: Java classes cannot be loaded"


# The format of ``java.time.Duration.parse``: days, then after a T hours, minutes and seconds.
_DURATION = LazyPattern(
    r"P(?=[\dT])(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d{0,9})?S)?)?", re.IGNORECASE | re.ASCII
)
_BY_DURATION = "by_duration:"


@dataclass(frozen=True, slots=True)
class OffsetReset:
    """Latest, earliest, or a duration before now (``ShareGroupAutoOffsetResetStrategy``)."""

    config_type: ConfigType = ConfigType.STRING
    allowed: str = "latest, earliest or by_duration:PnDTnHnMn.nS"

    def parse(self, text: str) -> Value:
        """Read the strategy; raises `InvalidValue`."""
        strategy = trimmed(text)
        is_duration = strategy.startswith(_BY_DURATION) and _DURATION.compiled.fullmatch(
            strategy.removeprefix(_BY_DURATION)
        )
        if strategy not in ("latest", "earliest") and not is_duration:
            raise InvalidValue(self.allowed)
        return strategy


@dataclass(frozen=True, slots=True)
class PrincipalList:
    """Principals of the form ``Type:name``, separated by semicolons; names may contain commas."""

    config_type: ConfigType = ConfigType.STRING
    allowed: str = "a list of Type:name, such as User:alice, separated by semicolons"

    def parse(self, text: str) -> Value:
        """Read the principals in order; raises `InvalidValue`."""
        entries = tuple(trimmed(entry) for entry in text.split(";") if trimmed(entry))
        if any(":" not in entry for entry in entries):
            raise InvalidValue(self.allowed)
        return entries


_COUNTS = "a list of ADDRESS:NUMBER, separated by commas"
_ADDRESS = re.compile(r"[0-9a-zA-Z\-%._:]*")


@dataclass(frozen=True, slots=True)
class CountsByAddress:
    """A list of ``ADDRESS:NUMBER``; the value is the unparsed text."""

    config_type: ConfigType = ConfigType.STRING
    allowed: str = _COUNTS

    def parse(self, text: str) -> Value:
        """Read the list; raises `InvalidValue`."""
        counts_by_address(text)
        return trimmed(text)


_REPLICAS = "* or a list of PARTITION:NODE, separated by commas"
_REPLICA = re.compile(r"([0-9]+:[0-9]+)?")


@dataclass(frozen=True, slots=True)
class ReplicaList:
    """All replicas of a topic (``*``), or a list of ``PARTITION:NODE``; entries may be empty."""

    config_type: ConfigType = ConfigType.LIST
    allowed: str = _REPLICAS

    def parse(self, text: str) -> Value:
        """Read the list; raises `InvalidValue`."""
        entries = tuple(trimmed(entry) for entry in text.split(",") if trimmed(text))
        if "".join(entries) != "*" and not all(map(_REPLICA.fullmatch, entries)):
            raise InvalidValue(_REPLICAS)
        return entries


Choice = OneOf | OneOfAnyCase | ListOf
Kind = (
    Integer
    | Decimal
    | Boolean
    | Choice
    | AnyList
    | Text
    | Secret
    | ClassName
    | OffsetReset
    | CountsByAddress
    | ReplicaList
    | PrincipalList
)


def counts_by_address(text: str) -> dict[str, int]:
    """The numbers of a `CountsByAddress`; raises `InvalidValue`."""
    pairs = [trimmed(each).rpartition(":") for each in text.split(",") if trimmed(each)]
    if not all(colon and is_address(trimmed(address)) for address, colon, _ in pairs):
        raise InvalidValue(_COUNTS)
    try:
        return {trimmed(address): int(str(int32().parse(count))) for address, _, count in pairs}
    except InvalidValue:
        raise InvalidValue(_COUNTS) from None


def is_address(text: str) -> bool:
    """Whether a text may be an address or the name of a host (Kafka's ``validHostPattern``)."""
    return _ADDRESS.fullmatch(text) is not None


def int32(low: int = -(2**31), high: int = INT_MAX, *, also: int | None = None) -> Integer:
    """A Java ``int``."""
    return Integer(ConfigType.INT, low, high, also)


def int64(low: int = -(2**63), *, also: int | None = None) -> Integer:
    """A Java ``long``."""
    return Integer(ConfigType.LONG, low, LONG_MAX, also)


def int16(low: int = -(2**15)) -> Integer:
    """A Java ``short``."""
    return Integer(ConfigType.SHORT, low, SHORT_MAX)


def format_value(value: Value) -> str | None:
    """A value in the text format of Kafka's responses; None for a key without a value."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case tuple():
            return ",".join(value)
        case float():
            return write_double(value)
        case _:
            return str(value)
