"""Opens the connections of a node to other nodes."""

from __future__ import annotations

from collections.abc import Callable

from broker.common.do_nothing import do_nothing
from broker.network.inter_broker.inter_broker_connection import InterBrokerConnection, never
from broker.network.inter_broker.link import Link
from broker.network.inter_broker.sasl_login import NodeLogin, log_in
from broker.network.serving.node_channels import NodeChannels
from broker.network.transports.transport import Connect, Disconnected, Transport
from protocol.framing import Scratch

# Makes the logins of a connection to a peer.
MakeLogin = Callable[[str], NodeLogin]


class InterBrokerConnections:
    """*connect* opens their transports, *channels* serve them, and all receive into *scratch*.

    *make_login* is None if the inter-broker listener has no SASL.
    """

    def __init__(
        self,
        connect: Connect,
        channels: NodeChannels,
        scratch: Scratch,
        make_login: MakeLogin | None = None,
    ) -> None:
        self._connect = connect
        self._channels = channels
        self._scratch = scratch
        self._make_login = make_login

    async def open(
        self,
        link: Link,
        host: str,
        port: int,
        client_id: str,
        on_end: Callable[[Exception], object],
        is_held: Callable[[], bool] = never,
    ) -> InterBrokerConnection:
        """A connection over *link*; see `InterBrokerConnection` for the other arguments.

        Raises OSError, and `Disconnected` if a packet of the set-up does not arrive in time or the
        node stops meanwhile.
        """
        transport = await link.connect(self._connect, host, port)
        login = await self._log_in(transport)
        connection = self._channels.open(
            transport,
            lambda driver: InterBrokerConnection(
                transport, driver, self._scratch, client_id, link, on_end, is_held, login
            ),
            do_nothing,  # the connection calls ``on_end`` itself
        )
        if connection.is_closed:
            raise Disconnected("the node stops")
        return connection

    async def _log_in(self, transport: Transport) -> NodeLogin | None:
        if self._make_login is None:
            return None
        login = self._make_login(transport.peer)
        await log_in(transport, login, self._scratch)
        return login
