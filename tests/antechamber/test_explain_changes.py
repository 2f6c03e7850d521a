"""The explanations of requests that change the cluster."""

from __future__ import annotations

from antechamber.explain import explanation
from tests.facts import completed_fetch


def test_a_change_that_nodes_had_to_apply() -> None:
    """The sentence names the nodes that lacked it."""
    fields = {
        "api": "CreateAcls",
        "purgatory": "AlterAcls",
        "waited_for": {"kind": "applied", "nodes": [2, 3]},
        "completed_by": {"cause": "applied"},
        "checks": 0,
        "partitions": [],
        "timeout_ms": None,
    }

    assert explanation(completed_fetch() | fields)[0] == (
        "CreateAcls 12 of client reader was sent to node 1, waited 183 ms in the AlterAcls "
        "purgatory for nodes 2 and 3 to apply its change, and was completed when every node had "
        "applied it."
    )
