"""What the mechanisms have in common."""

from __future__ import annotations

from broker.security.sasl.mechanism import AuthenticationFailed


def test_a_failure_has_a_reason_for_the_log_and_a_message_for_the_client() -> None:
    """By default the client does not get the reason."""
    failure = AuthenticationFailed("unknown user 'a'")

    assert (failure.reason, failure.message) == ("unknown user 'a'", None)
