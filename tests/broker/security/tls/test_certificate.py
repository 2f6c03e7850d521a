"""What the broker reads in a certificate, compared with the package cryptography."""

from __future__ import annotations

import pytest
from cryptography import x509

from broker.security.tls.certificate import Certificate
from tests.broker.security.tls.stores import authority_text, chain_text, der, leaf


@pytest.mark.parametrize("pem", [chain_text(leaf()), authority_text()])
def test_the_fields_of_a_certificate_are_read(pem: str) -> None:
    """A certificate of an authority has no alternative names."""
    expected = x509.load_pem_x509_certificate(pem.encode())

    certificate = Certificate.of(der(pem))

    assert certificate.not_after == expected.not_valid_after_utc
    assert certificate.not_before == expected.not_valid_before_utc
    assert certificate.subject.replace("\\", "") == expected.subject.rfc4514_string()
    assert bool(certificate.alternative_names) == ("localhost" in certificate.subject)


@pytest.mark.parametrize("size", [0, 1, 5, 40, 200])
def test_a_damaged_certificate_is_an_error(size: int) -> None:
    """Wherever it ends."""
    with pytest.raises(ValueError, match="damaged"):
        Certificate.of(der(authority_text())[:size])
