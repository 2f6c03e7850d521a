"""Throw-away certificates, and contexts that use them."""

from __future__ import annotations

import ssl
from functools import cache

import trustme


@cache
def authority() -> trustme.CA:
    """The authority of all certificates in the tests."""
    return trustme.CA()


@cache
def server_context(client_auth: ssl.VerifyMode = ssl.CERT_NONE) -> ssl.SSLContext:
    """A broker's context with a certificate for localhost."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("localhost").configure_cert(context)
    authority().configure_trust(context)
    context.verify_mode = client_auth
    context.num_tickets = 0  # the broker's contexts send none either
    return context


def client_context(common_name: str | None = None) -> ssl.SSLContext:
    """A client's context, with a certificate if there is a *common_name*."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority().configure_trust(context)
    if common_name is not None:
        authority().issue_cert(common_name=common_name).configure_cert(context)
    return context
