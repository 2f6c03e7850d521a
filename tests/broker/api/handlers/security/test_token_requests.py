"""Which clients may use delegation tokens."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from broker.api.handlers.security.token_requests import allows_token_requests
from broker.security.principal import ANONYMOUS, user
from broker.security.session import SecurityProtocol, Session

PLAINTEXT, SSL = SecurityProtocol.PLAINTEXT, SecurityProtocol.SSL
SASL = SecurityProtocol.SASL_PLAINTEXT


@pytest.mark.parametrize(
    ("session", "may"),
    [
        (Session(user("a"), protocol=PLAINTEXT), False),
        (Session(ANONYMOUS, protocol=SSL), False),
        (Session(user("CN=a"), protocol=SSL), True),
        (Session(user("a"), protocol=SASL), True),
        (Session(user("a"), protocol=SASL, is_token_authenticated=True), False),
    ],
)
def test_a_client_needs_an_authentication_without_token(session: Session, may: bool) -> None:
    """A client with a certificate has one."""
    request = cast("Any", SimpleNamespace(session=session))

    assert allows_token_requests(request) is may
