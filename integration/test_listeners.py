"""Several listeners of a process: Kafka's own properties file, and addresses by listener."""

from __future__ import annotations

from pathlib import Path

from kafka import KafkaAdminClient

from antechamber import Cluster
from integration.processes.antechamber import Serve
from integration.processes.server_process import free_ports

# The keys of Kafka's config/server.properties, with other ports and one more listener.
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=localhost:{controller}
listeners=INTERNAL://:{internal},EXTERNAL://:{external},CONTROLLER://:{controller}
inter.broker.listener.name=INTERNAL
advertised.listeners=INTERNAL://127.0.0.1:{internal},EXTERNAL://localhost:{external}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=104857600
log.dirs={folder}
num.partitions=1
num.recovery.threads.per.data.dir=1
offsets.topic.replication.factor=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
"""


def test_kafkas_properties_file_starts_the_broker(serve: Serve, tmp_path: Path) -> None:
    """Clients are given the addresses of the listener by which they connect."""
    internal, external, controller = free_ports(3)
    folder, file = tmp_path / "logs", tmp_path / "server.properties"
    file.write_text(
        PROPERTIES.format(
            internal=internal, external=external, controller=controller, folder=folder
        )
    )

    broker = serve("--properties", str(file))

    assert broker.ready["data_dirs"] == [str(folder)]
    assert broker.ready["listeners"] == {
        "INTERNAL": f"127.0.0.1:{internal}",
        "EXTERNAL": f"localhost:{external}",
    }
    for address in broker.ready["listeners"].values():
        host, _, port = address.partition(":")
        client = KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{port}")
        (node,) = client.describe_cluster()["brokers"]
        client.close()
        assert (node["host"], node["port"]) == (host, int(port))


def test_the_ready_line_has_the_addresses_of_each_listener(serve: Serve) -> None:
    """By the names of the listeners, for all nodes."""
    settings = (
        "listeners=HOST://127.0.0.1:0,CONTAINER://127.0.0.1:0",
        "listener.security.protocol.map=HOST:PLAINTEXT,CONTAINER:PLAINTEXT",
        "inter.broker.listener.name=HOST",
    )
    options = [word for setting in settings for word in ("-c", setting)]

    broker = serve("--brokers", "2", *options)

    line = broker.ready_line()
    listeners = broker.ready["listeners"]
    assert len(set(",".join(listeners.values()).split(","))) == 4
    assert f" HOST={listeners['HOST']} CONTAINER={listeners['CONTAINER']} admin=" in line


def test_a_cluster_has_the_addresses_of_each_listener() -> None:
    """The bootstrap servers are those of the nodes' own listener."""
    config = {
        "listeners": "HOST://127.0.0.1:0,CONTAINER://127.0.0.1:0",
        "listener.security.protocol.map": "HOST:PLAINTEXT,CONTAINER:PLAINTEXT",
        "inter.broker.listener.name": "CONTAINER",
    }
    with Cluster(config=config) as cluster:
        listeners = cluster.listeners
        assert listeners.keys() == {"HOST", "CONTAINER"}
        assert cluster.bootstrap == listeners["CONTAINER"] != listeners["HOST"]
