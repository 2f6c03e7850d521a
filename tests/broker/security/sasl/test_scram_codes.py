"""The codes of SCRAM mechanisms."""

from __future__ import annotations

from broker.security.sasl.credentials import HASHES
from broker.security.sasl.scram_codes import CODES, MECHANISMS


def test_each_mechanism_has_a_code() -> None:
    """And each code a mechanism."""
    assert MECHANISMS == {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
    assert CODES.keys() == HASHES.keys()
    assert {MECHANISMS[code] for code in CODES.values()} == CODES.keys()
