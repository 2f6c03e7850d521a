"""The lines that report what is missing."""

from __future__ import annotations

from broker.admin.conditions.condition import some


def test_a_line_names_at_most_five() -> None:
    """And the number of the others."""
    assert some(["a", "b"]) == "a, b"
    assert some(list("abcdefgh")) == "a, b, c, d, e and 3 more"
