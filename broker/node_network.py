"""The connections of a node: to its clients, and to other nodes."""

from __future__ import annotations

from broker.api.connection_setups import (
    connect_between_nodes,
    listeners_with_tls,
    login_between_nodes,
)
from broker.common.clock import Clock
from broker.common.state_changes import StateChanges
from broker.config import Config
from broker.network.clients.connection import OnBug
from broker.network.clients.connections import Connections
from broker.network.inter_broker.inter_broker_connections import InterBrokerConnections
from broker.network.serving.memory_pool import memory_pool
from broker.network.serving.node_channels import NodeChannels
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.transport import Connect
from protocol.framing import Scratch
from purgatories.timer.system_timer import SystemTimer


class NodeNetwork:
    """``channels`` serve both; ``to_clients`` and ``to_nodes`` open them. All share a buffer.

    ``tls`` are the listeners that have it. *serving* is the task of the cluster, *connect* opens
    the transports to other nodes, and *on_bug* is called for an exception of a client's connection.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        serving: ServingTask,
        connect: Connect,
        on_bug: OnBug,
        changes: StateChanges,
    ) -> None:
        scratch = Scratch()
        self.tls = listeners_with_tls(config)
        connect = connect_between_nodes(connect, config, self.tls)
        make_login = login_between_nodes(config, clock)
        memory = memory_pool(config.queued_max_request_bytes)
        self.channels = NodeChannels(serving, memory)
        self.to_nodes = InterBrokerConnections(connect, self.channels, scratch, make_login)
        self.to_clients = Connections(
            config, timer, scratch, on_bug, changes, self.channels, memory
        )
