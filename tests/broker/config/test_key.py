"""Declarations of keys."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import UpdateMode, attribute, declared_in, key, no_effect
from broker.config.kinds import int32


@dataclass(kw_only=True)
class Theme:
    """One key."""

    a_b: int = key("a.b", int32(), 5, "What it is.", update_mode=UpdateMode.CLUSTER_WIDE)
    other: int = 3


def test_a_declaration_is_a_field_with_a_default() -> None:
    """The field is a plain number; the declaration is in its metadata."""
    assert Theme().a_b == 5
    (declared,) = declared_in(Theme)
    assert (declared.name, declared.default, declared.update_mode) == (
        "a.b",
        5,
        UpdateMode.CLUSTER_WIDE,
    )
    assert attribute(declared.name) == "a_b"


def test_keys_without_effect_share_their_reason() -> None:
    """The reason is their documentation."""
    declare = no_effect("it is not read", advice="do without")
    declared = declare("a.b", int32(), 5)

    assert declared.unused is not None
    assert (declared.unused.reason, declared.unused.advice) == ("it is not read", "do without")
    assert declared.documentation == "No effect: it is not read."
