"""The kinds of values a configuration key can have: how each is read, written and told to a user.

Parsing follows Kafka's ``ConfigDef``: blanks around a value are dropped, numbers are decimal with
an optional sign, booleans are ``true`` or ``false`` in any case, a list is separated by commas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
SHORT_MAX = 2**15 - 1

Value = bool | int | float | str | tuple[str, ...] | None

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class ConfigType(IntEnum):
    """What DescribeConfigs calls the kinds (``DescribeConfigsResponse.ConfigType``)."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7


class Unfit(ValueError):  # noqa: N818 - it says what the value is
    """A value its key cannot have; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number in a range; ``also`` is one value outside of it that is allowed too."""

    config_type: ConfigType
    low: int
    high: int
    also: int | None = None

    def parse(self, text: str) -> Value:
        """Read the number; raises `Unfit`."""
        stripped = text.strip()
        # The length is looked at first: Python refuses, in words of its own, to read 5000 digits.
        if len(stripped) > 40 or not _INTEGER.fullmatch(stripped):
            raise Unfit(self.allowed)
        value = int(stripped)
        if not self.low <= value <= self.high and value != self.also:
            raise Unfit(self.allowed)
        return value

    @property
    def allowed(self) -> str:
        """The range, as a user reads it."""
        extra = "" if self.also is None else f", or {self.also}"
        return f"a whole number from {self.low} to {self.high}{extra}"


@dataclass(frozen=True, slots=True)
class Decimal:
    """A number with a fraction, in a range."""

    low: float
    high: float
    config_type: ConfigType = ConfigType.DOUBLE

    def parse(self, text: str) -> Value:
        """Read the number; raises `Unfit`."""
        stripped = text.strip()
        if not _DECIMAL.fullmatch(stripped) or not self.low <= float(stripped) <= self.high:
            raise Unfit(self.allowed)
        return float(stripped)

    @property
    def allowed(self) -> str:
        """The range, as a user reads it."""
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false."""

    config_type: ConfigType = ConfigType.BOOLEAN
    allowed: str = "true or false"

    def parse(self, text: str) -> Value:
        """Read the boolean; raises `Unfit`."""
        match text.strip().lower():
            case "true":
                return True
            case "false":
                return False
            case _:
                raise Unfit(self.allowed)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few words, spelled exactly."""

    words: tuple[str, ...]
    config_type: ConfigType = ConfigType.STRING

    def parse(self, text: str) -> Value:
        """Read the word; raises `Unfit`."""
        if text.strip() not in self.words:
            raise Unfit(self.allowed)
        return text.strip()

    @property
    def allowed(self) -> str:
        """The words, as a user reads them."""
        return "one of " + ", ".join(self.words)


@dataclass(frozen=True, slots=True)
class OneOfAnyCase:
    """One of a few words, in whatever case; it is kept in lower case."""

    words: tuple[str, ...]
    config_type: ConfigType = ConfigType.STRING

    def parse(self, text: str) -> Value:
        """Read the word; raises `Unfit`."""
        if text.strip().upper() not in self.words:
            raise Unfit(self.allowed)
        return text.strip().lower()

    @property
    def allowed(self) -> str:
        """The words, as a user reads them."""
        return "one of " + ", ".join(self.words) + ", in any case"


@dataclass(frozen=True, slots=True)
class ListOf:
    """Any of a few words, separated by commas; none at all is mostly allowed (KIP-1161)."""

    words: tuple[str, ...]
    config_type: ConfigType = ConfigType.LIST
    may_be_empty: bool = True

    def parse(self, text: str) -> Value:
        """Read the words, each once, in the order given; raises `Unfit`."""
        if not text.strip():
            if not self.may_be_empty:
                raise Unfit(self.allowed)
            return ()
        given = [word.strip() for word in text.split(",")]
        if any(word not in self.words for word in given):
            raise Unfit(self.allowed)
        return tuple(dict.fromkeys(given))

    @property
    def allowed(self) -> str:
        """The words, as a user reads them."""
        return "a list of " + ", ".join(self.words) + ", separated by commas"


_COUNTS = "a list of ADDRESS:NUMBER, separated by commas"


@dataclass(frozen=True, slots=True)
class CountsByAddress:
    """Addresses, each with a number behind a colon, separated by commas; kept as it is written."""

    config_type: ConfigType = ConfigType.STRING
    allowed: str = _COUNTS

    def parse(self, text: str) -> Value:
        """Read the list; raises `Unfit`."""
        counts_by_address(text)
        return text.strip()


_REPLICAS = "* or a list of PARTITION:NODE, separated by commas"
_REPLICA = re.compile(r"[0-9]+:[0-9]+")


@dataclass(frozen=True, slots=True)
class ReplicaList:
    """All replicas of a topic, those that are listed, or none."""

    config_type: ConfigType = ConfigType.LIST
    allowed: str = _REPLICAS

    def parse(self, text: str) -> Value:
        """Read the list; raises `Unfit`."""
        words = tuple(word.strip() for word in text.split(",") if text.strip())
        if words != ("*",) and not all(map(_REPLICA.fullmatch, words)):
            raise Unfit(_REPLICAS)
        return words


Kind = Integer | Decimal | Boolean | OneOf | OneOfAnyCase | ListOf | CountsByAddress | ReplicaList


def counts_by_address(text: str) -> dict[str, int]:
    """The numbers of a `CountsByAddress`; raises `Unfit`."""
    pairs = [each.strip().rpartition(":") for each in text.split(",") if each.strip()]
    counts = int32(0)
    if any(not address for address, _, _ in pairs):
        raise Unfit(_COUNTS)
    try:
        return {address.strip(): int(str(counts.parse(count))) for address, _, count in pairs}
    except Unfit:
        raise Unfit(_COUNTS) from None


def int32(low: int = -(2**31), high: int = INT_MAX, *, also: int | None = None) -> Integer:
    """A Java ``int``."""
    return Integer(ConfigType.INT, low, high, also)


def int64(low: int = -(2**63), high: int = LONG_MAX, *, also: int | None = None) -> Integer:
    """A Java ``long``."""
    return Integer(ConfigType.LONG, low, high, also)


def int16(low: int = -(2**15), high: int = SHORT_MAX) -> Integer:
    """A Java ``short``."""
    return Integer(ConfigType.SHORT, low, high)


def written(value: Value) -> str | None:
    """A value as Kafka writes it in an answer; None for a key that has none."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case tuple():
            return ",".join(value)
        case _:
            return str(value)
