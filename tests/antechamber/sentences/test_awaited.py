"""What requests wait for; most of it is tested with whole explanations."""

from __future__ import annotations

import pytest

from antechamber.sentences.awaited import condition
from tests.facts import completed_fetch


@pytest.mark.parametrize("waited_for", [None, {"kind": "min_bytes"}, {"kind": "of-a-new-broker"}])
def test_some_conditions_are_not_described(waited_for: dict[str, str] | None) -> None:
    """Bytes are described elsewhere, and unknown kinds are left out."""
    assert condition(completed_fetch() | {"waited_for": waited_for}) == ""


@pytest.mark.parametrize(
    ("nodes", "words"), [([2], "node 2"), ([2, 3], "nodes 2 and 3"), ([], "all nodes")]
)
def test_nodes_that_must_apply_a_change_are_named(nodes: list[int], words: str) -> None:
    """None is left immediately before the completion."""
    waiting = completed_fetch() | {"waited_for": {"kind": "applied", "nodes": nodes}}

    assert condition(waiting) == f" for {words} to apply its change"


def test_a_condition_is_described() -> None:
    """As the object of the verb wait."""
    waiting = completed_fetch() | {"waited_for": {"kind": "flush"}}

    assert condition(waiting) == " for its records to be flushed to disk"
