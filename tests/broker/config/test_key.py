"""Declarations of keys."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import Change, attribute, declared_in, key, no_effect
from broker.config.kinds import int32


@dataclass(kw_only=True)
class Theme:
    """One key."""

    a_b: int = key("a.b", int32(), 5, "What it is.", change=Change.ANYWHERE)
    other: int = 3


def test_a_declaration_is_a_field_with_a_default() -> None:
    """The field is a plain number; what is declared is found by the class."""
    assert Theme().a_b == 5
    (declared,) = declared_in(Theme)
    assert (declared.name, declared.default, declared.change) == ("a.b", 5, Change.ANYWHERE)
    assert attribute(declared.name) == "a_b"


def test_keys_without_effect_share_their_reason() -> None:
    """It is their documentation."""
    declare = no_effect("nobody reads it", advice="do without")
    declared = declare("a.b", int32(), 5)

    assert declared.idle is not None
    assert (declared.idle.reason, declared.idle.advice) == ("nobody reads it", "do without")
    assert declared.documentation == "No effect: nobody reads it."
