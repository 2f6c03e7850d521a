"""What a node of a test has to connect to other nodes: a serving task, and its channels."""

from __future__ import annotations

from itertools import count

from broker.network.inter_broker.inter_broker_connections import InterBrokerConnections, MakeLogin
from broker.network.serving.node_channels import NodeChannels
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.transport import Connect
from protocol.framing import Scratch


class OtherNodes:
    """Connections that are served while `run` runs; a step serves one channel."""

    def __init__(self) -> None:
        self._serving = ServingTask(count(step=10).__next__)
        self.channels = NodeChannels(self._serving)

    def connections(
        self, connect: Connect, make_login: MakeLogin | None = None
    ) -> InterBrokerConnections:
        """Opens connections whose transports *connect* opens."""
        return InterBrokerConnections(connect, self.channels, Scratch(), make_login)

    async def run(self) -> None:
        """Serve until cancelled."""
        await self._serving.run()
