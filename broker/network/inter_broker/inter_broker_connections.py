"""Opens the connections of a node to other nodes."""

from __future__ import annotations

from collections.abc import Callable

from broker.common.do_nothing import do_nothing
from broker.network.inter_broker.inter_broker_connection import InterBrokerConnection, never
from broker.network.inter_broker.link import Link
from broker.network.serving.node_channels import NodeChannels
from broker.network.transports.transport import Connect, Disconnected
from protocol.framing import Scratch


class InterBrokerConnections:
    """*connect* opens their transports, *channels* serve them, and all receive into *scratch*."""

    def __init__(self, connect: Connect, channels: NodeChannels, scratch: Scratch) -> None:
        self._connect = connect
        self._channels = channels
        self._scratch = scratch

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
        connection = self._channels.open(
            transport,
            lambda driver: InterBrokerConnection(
                transport, driver, self._scratch, client_id, link, on_end, is_held
            ),
            do_nothing,  # the connection calls ``on_end`` itself
        )
        if connection.is_closed:
            raise Disconnected("the node stops")
        return connection
