"""The TLS of a listener is reloaded while the broker runs."""

from __future__ import annotations

import pytest
import trustme

from broker.common.errors import StartupError
from broker.config.broker_config import Config, parse_config
from broker.security.tls.certificate import Certificate
from broker.security.tls.listener_tls import ListenerTls, reload_changed
from tests.broker.security.tls.stores import authority_text, chain_text, der, key_text, leaf
from tests.broker.security.tls.test_contexts import handshake
from tests.tls import client_context as client


def config(certificate: trustme.LeafCert, **others: str) -> Config:
    """The configuration of a listener with this certificate; ``_`` in names is a dot."""
    named = {f"ssl.{key.replace('_', '.')}": value for key, value in others.items()}
    return parse_config(
        {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.key": key_text(certificate),
            "ssl.keystore.certificate.chain": chain_text(certificate),
            **named,
        }
    )


def served(tls: ListenerTls) -> bytes | None:
    """The certificate that a client receives."""
    return handshake(tls.context, client()).getpeercert(binary_form=True)


def test_a_new_certificate_is_served_after_a_reload() -> None:
    """The context before it is not changed: open connections use it."""
    first, second = leaf(), leaf()
    tls = ListenerTls(config(first), "SECURE")
    before = tls.context

    tls.reload(config(second))

    assert served(tls) == der(chain_text(second))
    assert before is not tls.context


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        (
            {},
            "Keystore DistinguishedName does not match: existing .*CN=localhost.*, new .*CN=other",
        ),
        ({"allow_dn_changes": "true"}, "Keystore SubjectAltNames do not match"),
    ],
)
def test_a_certificate_with_other_names_is_refused(others: dict[str, str], reason: str) -> None:
    """The old certificate is still served."""
    old = leaf()
    tls = ListenerTls(config(old), "SECURE")

    with pytest.raises(StartupError, match=reason):
        tls.check(config(leaf("other"), **others))
    with pytest.raises(StartupError, match=reason):
        tls.reload(config(leaf("other"), **others))

    assert served(tls) == der(chain_text(old))


def test_other_names_may_be_allowed() -> None:
    """``ssl.allow.dn.changes`` and ``ssl.allow.san.changes``."""
    new = leaf("other")
    tls = ListenerTls(config(leaf()), "SECURE")

    tls.reload(config(new, allow_dn_changes="true", allow_san_changes="true"))

    certificate = Certificate.of(der(chain_text(new)))
    assert "CN=other" in certificate.subject
    assert tls.context is not None


def test_a_trust_store_cannot_be_added() -> None:
    """As in Kafka."""
    tls = ListenerTls(config(leaf()), "SECURE")
    trust = {"truststore_type": "PEM", "truststore_certificates": authority_text()}

    with pytest.raises(StartupError, match="a trust store cannot be added or removed"):
        tls.check(config(leaf(), **trust))


def test_only_keys_of_the_listener_reload_it() -> None:
    """A prefix in another case is no key of Kafka."""
    tls = ListenerTls(config(leaf()), "SECURE")

    assert tls.is_named_by(["x", "listener.name.secure.ssl.keystore.location"])
    assert not tls.is_named_by(["ssl.keystore.location", "listener.name.other.ssl.key.password"])


def test_changed_settings_are_reloaded_and_refused_ones_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A node that starts applies its stored settings in this way."""
    old, new = leaf(), leaf()
    tls = ListenerTls(config(old), "SECURE")

    reload_changed({"SECURE": tls}, config(new))
    reload_changed({"SECURE": tls}, config(leaf("other")))

    assert served(tls) == der(chain_text(new))
    assert "the former certificates stay in use: Keystore DistinguishedName" in caplog.text
