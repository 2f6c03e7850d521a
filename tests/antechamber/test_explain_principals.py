"""The clients that explanations name."""

from __future__ import annotations

from antechamber.explain import explanation
from tests.facts import completed_fetch, parked_fetch


def test_an_authenticated_client_is_named_with_its_principal_and_listener() -> None:
    """After its client id."""
    secured = {"principal": "User:alice", "listener": "SASL_SSL"}

    completed, *_ = explanation(completed_fetch() | secured)
    waiting, *_ = explanation(parked_fetch() | secured)

    assert completed.startswith("Fetch 12 of client reader (User:alice, listener SASL_SSL) requ")
    assert waiting.startswith("Fetch 3 of client consumer-1 (User:alice, listener SASL_SSL) requ")
