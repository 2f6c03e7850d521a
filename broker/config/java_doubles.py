"""Texts of floating-point numbers, as Java reads and writes them."""

from __future__ import annotations

import math

from protocol.lazy_pattern import LazyPattern

# The decimal texts of ``Double.parseDouble``; a letter for the type may follow digits.
_DECIMAL = LazyPattern(
    r"([+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?=[dDfF]?$)))[dDfF]?"
)
# Its hexadecimal texts, which have an exponent of two.
_HEXADECIMAL = LazyPattern(
    r"([+-]?0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[dDfF]?"
)


def read_double(text: str) -> float | None:
    """The number that ``Double.parseDouble`` reads, or None."""
    digits = _DECIMAL.compiled.fullmatch(text)
    if digits is not None:
        return float(digits[1])
    digits = _HEXADECIMAL.compiled.fullmatch(text)
    if digits is None:
        return None
    try:
        return float.fromhex(digits[1])
    except OverflowError:
        return -math.inf if text.startswith("-") else math.inf


def write_double(value: float) -> str:
    """A number in the format of ``Double.toString``: 1.0E-4 where Python has 0.0001."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return str(float(value))
    import decimal  # slow to import, and rarely needed

    sign, digits, exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    rest = "".join(map(str, digits[1:])) or "0"
    return f"{'-' * sign}{digits[0]}.{rest}E{exponent + len(digits) - 1}"
