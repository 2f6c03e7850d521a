"""`BrokerContainer`, on a Docker engine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http import HTTPStatus

import pytest
from confluent_kafka import Producer
from testcontainers.core.network import Network

import antechamber
from antechamber import container as container_module
from antechamber.admin_client import AdminClient
from antechamber.container import BrokerContainer
from integration.containers.image import broker_image
from integration.containers.network_client import brokers_in_network
from integration.processes.server_process import free_ports
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]

START_TIMEOUT_S = 120
WAIT_TIMEOUT_S = 60


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """A network of containers."""
    with Network() as network:
        yield network


@pytest.fixture(scope="module")
def broker(network: Network) -> Iterator[BrokerContainer]:
    """Three nodes in a network, with a topic of three replicas."""
    broker_image()
    with BrokerContainer(
        brokers=3,
        topics=["orders:1:3"],
        config={"num.partitions": "4"},
        record=True,
        start_timeout=START_TIMEOUT_S,
        network=network,
    ) as broker:
        yield broker


def test_clients_of_the_host_reach_each_node(broker: BrokerContainer) -> None:
    """The addresses in the metadata are the bootstrap servers."""
    with Connection(broker.bootstrap) as connection:
        brokers = read_metadata(connection.request(metadata([]))).brokers

    assert ",".join(f"{host}:{port}" for _, host, port in brokers) == broker.bootstrap
    assert len(brokers) == 3
    assert broker.get_bootstrap_server() == broker.bootstrap


def test_containers_of_the_network_reach_each_node(
    broker: BrokerContainer, network: Network
) -> None:
    """They have a listener of their own."""
    assert brokers_in_network(network.name, broker.network_bootstrap) == broker.network_bootstrap


def test_the_handle_pauses_a_node_and_waits_for_a_request(broker: BrokerContainer) -> None:
    """A produce with acks=all waits for the paused node."""
    producer = Producer({"bootstrap.servers": broker.bootstrap, "acks": "all"})
    broker.handle.pause(3)
    producer.produce("orders", b"one")
    producer.poll(0)
    (parked,) = broker.handle.wait_parked("Produce", topic="orders", timeout=WAIT_TIMEOUT_S)
    broker.handle.resume(3)

    assert parked["api"] == "Produce"
    assert producer.flush(WAIT_TIMEOUT_S) == 0
    assert broker.handle.requests(api="Produce", topic="orders")


def test_the_admin_interface_needs_the_token(broker: BrokerContainer) -> None:
    """A client without it is refused."""
    with pytest.raises(antechamber.AdminError) as refused:
        AdminClient(broker.handle.admin).cluster()

    assert refused.value.status == HTTPStatus.UNAUTHORIZED
    nodes = AdminClient(broker.handle.admin, token=broker.admin_token).cluster()["nodes"]
    assert len(nodes) == 3


def test_a_failed_start_raises_the_line_of_the_broker() -> None:
    """As `antechamber.Cluster` does."""
    container = BrokerContainer(broker_image(), options=["--config", "no.such.key=1"])

    with pytest.raises(antechamber.StartError) as failed, container:
        pass

    assert str(failed.value).startswith("antechamber serve: ")
    assert "no.such.key" in str(failed.value)


def test_a_taken_port_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may take a chosen port before the engine publishes it."""
    first, second = free_ports(2)
    chosen = iter([range(first, first + 1), range(second, second + 1)])
    monkeypatch.setattr(container_module, "free_ports", lambda count: next(chosen))
    image = broker_image()

    with (
        socket.create_server(("0.0.0.0", first)),
        BrokerContainer(image, start_timeout=START_TIMEOUT_S) as broker,
    ):
        assert broker.bootstrap.endswith(f":{second}")
        assert len(broker.handle.cluster()["nodes"]) == 1


def test_a_container_in_no_network_has_no_address_there() -> None:
    """The error names the argument."""
    with pytest.raises(ValueError, match=r"BrokerContainer\(network=\.\.\.\)"):
        _ = BrokerContainer().network_bootstrap
