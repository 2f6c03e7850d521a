"""The words for fault rules in explanations."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.explain import explanation
from tests.facts import completed_fetch, parked_produce

RULE = {"rule": 3, "name": "lost-acks", "action": "delay"}


def held(effect: str, **fields: Any) -> dict[str, Any]:
    """A Heartbeat that rule 3 has held."""
    return completed_fetch() | {
        "api": "Heartbeat",
        "purgatory": "Fault",
        "waited_for": {"kind": "fault", "effect": effect, **RULE},
        "completed_by": {"cause": "timeout"},
        "timeout_ms": 300,
        "checks": 0,
        "partitions": [],
        "fault": RULE,
        **fields,
    }


def test_a_delayed_response_is_explained() -> None:
    """The sentence has the rule and the delay."""
    assert explanation(held("delay_response"))[0] == (
        "Heartbeat 12 of client reader was sent to node 1, waited 183 ms because fault rule 3 "
        "(lost-acks) delays its response by 300 ms, and was completed after 300 ms."
    )


def test_a_removed_rule_is_explained() -> None:
    """The delay ended before its time."""
    [first, *_] = explanation(held("delay_request", completed_by={"cause": "rule_removed"}))

    assert first.endswith(
        "because fault rule 3 (lost-acks) delays it by 300 ms, and was completed when the rule "
        "was removed."
    )


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        ("hang", "does not let it begin"),
        ("hang_response", "does not send its response"),
        ("half_open", "keeps its connection half-open"),
        ("slow", "sends its response slowly"),
    ],
)
def test_a_parked_request_is_explained(effect: str, words: str) -> None:
    """It waits because of the rule."""
    waited_for = {"kind": "fault", "effect": effect, "rule": 1, "name": None, "action": "hang"}
    parked = parked_produce() | {
        "purgatory": "Fault",
        "waited_for": waited_for,
        "timeout_ms": None,
        "remaining_ms": None,
    }

    assert f", and waits because fault rule 1 {words}, 1.2 s so far." in explanation(parked)[0]


def test_a_rule_that_did_not_hold_the_request_has_a_sentence() -> None:
    """With its action."""
    error = {"rule": 2, "name": None, "action": "stale_metadata"}

    assert "Fault rule 2 fired on it: stale metadata." in explanation(
        completed_fetch() | {"fault": error}
    )


def test_a_throttle_of_a_rule_has_no_rates() -> None:
    """Of the request itself, and of the next one."""
    throttle = {
        "quota": "fault_rule",
        "user": None,
        "client_id": None,
        "rate": 0.0,
        "limit": 0.0,
        "ms": 1000,
    }
    sentences = explanation(completed_fetch() | {"throttle": throttle, "muted_by": throttle})

    assert "It has met a fault rule. Its connection was muted for 1.0 s." in sentences
    assert (
        "It was queued because its connection was muted for 1.0 s: an earlier request had met a "
        "fault rule."
    ) in sentences
