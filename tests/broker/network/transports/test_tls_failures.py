"""The sentences for failures of TLS."""

from __future__ import annotations

import ssl

import pytest

from broker.network.transports.tls_failures import describe


def _error(reason: str | None) -> ssl.SSLError:
    error = ssl.SSLError(1, "some text (_ssl.c:1006)")
    error.reason = reason  # type: ignore[assignment]  # OpenSSL has no name for some errors
    return error


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("TLSV1_ALERT_UNKNOWN_CA", "does not know its issuer (TLSV1_ALERT_UNKNOWN_CA)"),
        ("NO_SHARED_CIPHER", "no cipher suite in common (NO_SHARED_CIPHER)"),
        ("SOME_NEW_REASON", "SOME_NEW_REASON"),
    ],
)
def test_a_reason_is_described_with_its_name(reason: str, sentence: str) -> None:
    """A reason without a sentence is its name."""
    assert describe(_error(reason)).endswith(sentence)


def test_an_error_without_a_reason_is_its_text() -> None:
    """OpenSSL has no name for some errors."""
    assert "some text" in describe(_error(None))


def test_an_invalid_certificate_is_described_by_the_verification() -> None:
    """The name of the error would be the same for every invalid certificate."""
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "certificate has expired"

    assert describe(error) == "the peer's certificate is not valid: certificate has expired"
