"""The values that each kind of key accepts."""

from __future__ import annotations

from math import inf, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.config.kinds import (
    Boolean,
    CountsByAddress,
    Decimal,
    InvalidValue,
    Kind,
    ListOf,
    OneOf,
    PrincipalList,
    ReplicaList,
    counts_by_address,
    format_value,
    int16,
    int32,
    int64,
)

POLICY = ListOf(("compact", "delete"))
CODEC = OneOf(("gzip", "zstd"))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int32(), "5", 5),
        (int32(), " +5 ", 5),
        (int32(), "-5", -5),
        (int32(1, 9, also=-1), "-1", -1),
        (int64(), "9223372036854775807", 2**63 - 1),
        (Boolean(), "TRUE", True),
        (Boolean(), " false", False),
        (Decimal(0, 1), ".5", 0.5),
        (Decimal(0, 1), "0.5d", 0.5),
        (Decimal(0, 1), "1F", 1.0),
        (Decimal(), "1e400", inf),
        (Decimal(0, 1), "0x1p-2000", 0.0),
        (ReplicaList(), "*,", ("*", "")),
        (ReplicaList(), "0:1,,1:2", ("0:1", "", "1:2")),
        (CountsByAddress(), "192.0.2.1:-1", "192.0.2.1:-1"),
        (CountsByAddress(), ":5", ":5"),
        (Decimal(), "-Infinity", -inf),
        (CODEC, " gzip ", "gzip"),
        (POLICY, "compact, delete", ("compact", "delete")),
        (POLICY, "delete,delete", ("delete",)),
        (POLICY, "", ()),
    ],
)
def test_a_value_is_read_as_kafka_reads_it(kind: Kind, text: str, value: object) -> None:
    """Whitespace, signs, case and repetitions are treated as by Kafka's ConfigDef."""
    assert kind.parse(text) == value


@pytest.mark.parametrize("text", ["NaN", "+NaN", "-NaN"])
def test_not_a_number_is_in_every_range(text: str) -> None:
    """Java compares NaN with both limits, and neither comparison is true."""
    value = Decimal(0, 1).parse(text)

    assert isinstance(value, float)
    assert isnan(value)
    assert format_value(value) == "NaN"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (int32(), ""),
        (int32(), "5_000"),
        (int32(), "0x10"),
        (int32(), "1e3"),
        (int32(), "\u0665"),
        (int32(), "2147483648"),
        (int16(), "32768"),
        (int64(), "9" * 5000),
        (int32(1, 9, also=-1), "0"),
        (Boolean(), "yes"),
        (Decimal(0, 1), "1.5"),
        (Decimal(0, 1), "nan"),
        (Decimal(), "0x1"),
        (CODEC, "GZIP"),
        (CODEC, ""),
        (POLICY, "compact,,delete"),
        (POLICY, "none"),
        (CountsByAddress(), "192.0.2.1"),
        (ReplicaList(), "1"),
        (ReplicaList(), "0:1,*"),
        (ReplicaList(), "*,*"),
        (ReplicaList(), "-1:2"),
        (PrincipalList(), "User:a;b"),
        (CountsByAddress(), "192.0.2.1:x"),
        (CountsByAddress(), "[::1]:1"),
    ],
)
def test_a_value_that_kafka_refuses_is_refused(kind: Kind, text: str) -> None:
    """The message describes the allowed values."""
    with pytest.raises(InvalidValue) as refusal:
        kind.parse(text)

    assert str(refusal.value) == kind.allowed


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_formatted_number_is_parsed_back(number: int) -> None:
    """Formatting and parsing are inverse."""
    assert int64().parse(str(format_value(number))) == number


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (("a", "b"), "a,b"), ((), ""), (0.5, "0.5"), (None, None), ("x", "x")],
)
def test_values_are_formatted_as_by_kafka(
    value: bool | float | str | tuple[str, ...] | None, text: str | None
) -> None:
    """Booleans are in lower case, lists have commas, no value is null."""
    assert format_value(value) == text


def test_counts_by_address_are_read() -> None:
    """The last colon precedes the number: an IPv6 address has colons of its own."""
    text = " 192.0.2.1:5, 2001:db8::1 : 7 ,"

    assert CountsByAddress().parse(text) == text.strip()
    assert counts_by_address(text) == {"192.0.2.1": 5, "2001:db8::1": 7}
    assert counts_by_address("") == {}


def test_a_replica_list_is_all_or_some_or_none() -> None:
    """Whitespace around elements is ignored."""
    parse = ReplicaList().parse

    assert (parse("*"), parse(" 0:1 , 1:2"), parse(" ")) == (("*",), ("0:1", "1:2"), ())


def test_the_name_of_a_principal_may_contain_commas_and_colons() -> None:
    """It may be a distinguished name; principals are separated by semicolons."""
    found = PrincipalList().parse(" User:CN=a,O=b:c ; User:d;")

    assert found == ("User:CN=a,O=b:c", "User:d")


def test_the_values_of_a_choice_are_listed_in_its_message() -> None:
    """The empty value, too."""
    assert OneOf(("", "a")).allowed == "one of (empty), a"
