"""Texts of floating-point numbers, as Java reads and writes them."""

from __future__ import annotations

from math import inf

import pytest

from broker.config.java_doubles import read_double, write_double


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1p3", 8.0),
        ("-0X.8P0f", -0.5),
        ("0x1.p-1d", 0.5),
        ("-0x1p2000", -inf),
        ("0x1p-2000", 0.0),
        ("0x1", None),
        ("0xp1", None),
        ("0x_1p1", None),
    ],
)
def test_a_hexadecimal_number_has_an_exponent_of_two(text: str, value: float | None) -> None:
    """``Double.parseDouble`` reads them like decimal ones; Kafka 4.3.1 returned these."""
    assert read_double(text) == value


@pytest.mark.parametrize(
    ("value", "text"), [(8.0, "8.0"), (1e-4, "1.0E-4"), (1.25e7, "1.25E7"), (-inf, "-Infinity")]
)
def test_a_number_is_written_as_by_java(value: float, text: str) -> None:
    """``Double.toString`` has an exponent from 10**7 on, and below 10**-3."""
    assert write_double(value) == text
