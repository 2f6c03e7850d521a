"""The login of a node at another node, or at itself (``SaslClientAuthenticator``)."""

from __future__ import annotations

import logging
from collections.abc import Callable

from broker.network.inter_broker.request_sender import RequestSender
from broker.network.transports.transport import Connect, Disconnected, Transport
from broker.security.sasl.mechanism import AuthenticationFailed, SaslClient
from protocol.codec import Malformed
from protocol.errors import ErrorCode
from protocol.framing import Scratch
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest

log = logging.getLogger("antechamber.authentication")

_CLIENT_ID = "node"


class LoginFailed(ConnectionRefusedError):  # noqa: N818 - it names the condition
    """The other node does not accept the login."""


def connect_with_sasl(
    connect: Connect, begin: Callable[[], SaslClient], scratch: Scratch
) -> Connect:
    """Opens connections to a listener with SASL of other nodes, and logs in; they raise OSError."""

    async def connect_and_log_in(host: str, port: int) -> Transport:
        transport = await connect(host, port)
        await authenticate_client(transport, begin(), scratch)
        return transport

    return connect_and_log_in


async def authenticate_client(transport: Transport, client: SaslClient, scratch: Scratch) -> None:
    """Log in over a new connection; raises OSError, and then the connection is closed."""
    try:
        await _log_in(RequestSender(transport, scratch, _CLIENT_ID), client)
    except (AuthenticationFailed, Disconnected, Malformed) as failure:
        log.warning(
            "the login at %s failed: mechanism %s: %s", transport.peer, client.mechanism, failure
        )
        raise LoginFailed(str(failure)) from None
    finally:
        if not client.is_complete:
            transport.close()


async def _log_in(sender: RequestSender, client: SaslClient) -> None:
    """Raises `AuthenticationFailed`, `Disconnected`, `Malformed`."""
    shaken = await sender.response(SaslHandshakeRequest(mechanism=client.mechanism))
    if shaken.error_code != ErrorCode.NONE:
        enabled = ", ".join(shaken.mechanisms) or "none"
        raise AuthenticationFailed(f"the mechanism is not enabled there; enabled: {enabled}")
    token: bytes | None = client.first()
    while token is not None:
        response = await sender.response(SaslAuthenticateRequest(auth_bytes=token))
        if response.error_code != ErrorCode.NONE:
            raise AuthenticationFailed(response.error_message or f"error {response.error_code}")
        token = client.evaluate(bytes(response.auth_bytes))
