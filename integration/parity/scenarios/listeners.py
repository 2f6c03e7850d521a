"""Listeners: the addresses that each of them returns, its limits, and SASL requests on it."""

from __future__ import annotations

from typing import Any

from integration.parity.admin_requests import BROKER, describe_configs
from integration.parity.client import Client
from integration.parity.group_requests import find_coordinator
from integration.parity.logins import authenticate, handshake, log_in, trusting, with_certificate
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

_CLUSTER = DescribeClusterRequest(include_cluster_authorized_operations=False)


def _address(kafka: Kafka, found: Any) -> str:
    """The name of the listener that has an address, or the address."""
    names = {address: name for name, address in kafka.system.listeners.items()}
    text = f"{found.host}:{found.port}"
    return names.get(text, text)


def _connections(kafka: Kafka) -> dict[str, Client]:
    """A connection to each listener, logged in where that is required."""
    user = kafka.new_user()
    clients = {name: kafka.connect(listener=name) for name in ("PLAINTEXT", "OTHER", "HIDDEN")}
    clients["TLS"] = kafka.connect(listener="TLS", context=trusting())
    clients["MUTUAL"] = kafka.connect(listener="MUTUAL", context=with_certificate())
    clients["SASL"] = log_in(kafka, user)
    return clients


@scenario(on=SECURED)
def addresses_are_those_of_the_listener(kafka: Kafka) -> Observations:
    """Metadata and DescribeCluster return the advertised address of the client's listener."""
    for name, client in _connections(kafka).items():
        brokers = client.request(MetadataRequest(topics=[])).brokers
        yield name, "Metadata", [_address(kafka, each) for each in brokers]
        brokers = client.request(_CLUSTER).brokers
        yield name, "DescribeCluster", [_address(kafka, each) for each in brokers]


@scenario(on=SECURED)
def coordinators_have_the_address_of_the_listener(kafka: Kafka) -> Observations:
    """FindCoordinator returns the advertised address of the client's listener, in each version."""
    group = kafka.new_name("group")
    for listener in ("PLAINTEXT", "OTHER", "HIDDEN"):
        client = kafka.connect(listener=listener)
        for version in range(4):
            requested = find_coordinator()
            requested.key = group
            found = client.request(requested, version)
            yield listener, version, found, _address(kafka, found)
        for version in (4, 5, 6):
            found = client.request(find_coordinator(group), version).coordinators[0]
            yield listener, version, found, _address(kafka, found)


@scenario(on=SECURED)
def topics_on_a_hidden_listener(kafka: Kafka) -> Observations:
    """A listener that is not advertised has no leaders, in each version of Metadata."""
    topic = kafka.topic(2)
    client = kafka.connect(listener="HIDDEN")
    for version in range(14):
        requested = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
        response = client.request(requested, version)
        response.topics[0].partitions.sort(key=lambda each: each.partition_index)
        yield version, response


@scenario(on=SECURED)
def controller_endpoints_at_a_broker(kafka: Kafka) -> Observations:
    """DescribeCluster of controllers is refused by a broker."""
    for version in (1, 2):
        for kind in (1, 2, 3):
            requested = DescribeClusterRequest(
                include_cluster_authorized_operations=True, endpoint_type=kind
            )
            yield version, kind, kafka.request(requested, version)


@scenario(on=SECURED)
def full_listeners_let_clients_wait(kafka: Kafka) -> Observations:
    """A client above max.connections of a listener is served when another one leaves."""
    first, second = (kafka.connect(listener="FEW") for _ in range(2))
    yield [len(each.request(MetadataRequest(topics=[])).brokers) for each in (first, second)]
    third = kafka.connect(listener="FEW")
    pending = third.start(MetadataRequest(topics=[]))
    yield "waits", pending.waits()
    yield "another listener", len(kafka.request(MetadataRequest(topics=[])).brokers)
    first.close()
    yield "served", len(pending.response().brokers)


@scenario(on=SECURED)
def sasl_requests_on_listeners_without_sasl(kafka: Kafka) -> Observations:
    """SaslHandshake and SaslAuthenticate get an error, and the connection remains."""
    clients = (
        kafka.connect(listener="PLAINTEXT"),
        kafka.connect(listener="TLS", context=trusting()),
        kafka.connect(listener="MUTUAL", context=with_certificate()),
    )
    for client in clients:
        for version in (0, 1):
            yield "handshake", version, client.request(handshake("PLAIN"), version)
        for version in (0, 1, 2):
            yield "authenticate", version, client.request(authenticate(b"\0a\0b"), version)
        yield "open", len(client.request(MetadataRequest(topics=[])).brokers)


@scenario(on=SECURED)
def apis_are_the_same_on_each_listener(kafka: Kafka) -> Observations:
    """ApiVersions lists the same APIs on every listener, before and after a login."""
    requested = ApiVersionsRequest(client_software_name="x", client_software_version="1")
    expected = kafka.request(requested, 3).api_keys
    for name, client in _connections(kafka).items():
        yield name, client.request(requested, 3).api_keys == expected
    unauthenticated = kafka.connect(listener="SASL")
    yield "before", unauthenticated.request(requested, 3).api_keys == expected


@scenario(on=SECURED)
def settings_of_listeners(kafka: Kafka) -> Observations:
    """Passwords, and keys that Kafka's definition does not have, have no value in responses."""
    keys = (
        "listener.name.sasl.plain.sasl.jaas.config",
        "listener.name.sasl.sasl.enabled.mechanisms",
        "listener.name.brief.connections.max.reauth.ms",
        "listener.name.mutual.ssl.client.auth",
        "listener.name.few.max.connections",
        "super.users",
        "allow.everyone.if.no.acl.found",
        "delegation.token.secret.key",
        "authorizer.class.name",
        "inter.broker.listener.name",
        "ssl.keystore.type",
        "ssl.keystore.password",
        "ssl.client.auth",
        "sasl.enabled.mechanisms",
        "sasl.jaas.config",
        "connection.failed.authentication.delay.ms",
        "connections.max.reauth.ms",
    )
    for key in keys:
        response = kafka.request(describe_configs("1", key, kind=BROKER, synonyms=True))
        yield key, response
