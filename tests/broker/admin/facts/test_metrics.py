"""The metrics in Prometheus' text format."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
import trio
import trio.testing
from prometheus_client.parser import text_string_to_metric_families

from broker.admin.cluster_facts import ClusterFacts
from broker.admin.facts.node_statistics import node_statistics
from broker.common.topic_partition import TopicPartition
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.broker.scenarios.three_nodes import three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer
from tests.broker.storage.logs import transactional
from tests.client import EPOCH_MS, running_cluster
from tests.garbage import without_garbage_collection
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(facts: ClusterFacts) -> Samples:
    """Every sample, by its name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(facts.metrics())
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


async def test_purgatories_and_replicas_are_counted(tmp_path: Path) -> None:
    """A waiting fetch is in its node's purgatory; a stopped follower leaves the in-sync set."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(2, 3, 1)])
        client = cluster.client(2)
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        client.start(fetch_request("t", 1, max_wait_ms=60_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        await cluster.cluster.stop(3)
        await trio.testing.wait_all_tasks_blocked()
        found = samples(ClusterFacts(cluster.cluster))

    purgatory = "kafka_server_delayedoperationpurgatory_numdelayedoperations"
    assert value(found, purgatory, node="2", delayedOperation="Fetch") >= 1
    replicas = "kafka_server_replicamanager_"
    assert value(found, f"{replicas}partitioncount", node="1") == 1
    assert value(found, f"{replicas}leadercount", node="2") == 1
    assert value(found, f"{replicas}underreplicatedpartitions", node="2") == 1
    assert value(found, f"{replicas}underminisrpartitioncount", node="2") == 0
    assert value(found, "kafka_controller_kafkacontroller_offlinepartitionscount") == 0
    assert value(found, "kafka_server_socket_server_metrics_connection_count", node="2") >= 1
    assert not any(("node", "3") in labels for _, labels in found)


async def test_producers_and_late_transactions_are_counted(tmp_path: Path) -> None:
    """Producers on each replica, late transactions on the leader."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(2, 1)])
        partition = cluster.node(2).replicas.partitions[TopicPartition("t", 0)]
        guard = partition.maybe_start_transaction_verification(7, 0, 0, True)
        began = transactional(0, 0, 7, timestamp=int(EPOCH_MS))
        partition.append_as_leader(began, 1, 13, verification_guard=guard)
        await trio.sleep(1200)
        in_time = samples(ClusterFacts(cluster.cluster))
        await trio.sleep(1)
        late = samples(ClusterFacts(cluster.cluster))

    replicas = "kafka_server_replicamanager_"
    for node, known in (("1", 1), ("2", 1), ("3", 0)):
        assert value(late, f"{replicas}produceridcount", node=node) == known
    counted = f"{replicas}partitionswithlatetransactionscount"
    assert [value(found, counted, node="2") for found in (in_time, late)] == [0, 1]
    assert value(late, counted, node="1") == 0


async def test_requests_are_counted_and_their_phases_have_quantiles(tmp_path: Path) -> None:
    """By API, version and error; a consumer's fetch is also a FetchConsumer."""
    async with running_cluster(tmp_path, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await client.send(fetch_request("t", 1, max_wait_ms=50), FETCH_VERSION)
        found = samples(ClusterFacts(cluster.cluster))

    prefix = "kafka_network_requestmetrics_"
    of_produce = {"request": "Produce", "version": str(PRODUCE_VERSION)}
    assert value(found, f"{prefix}requests_total", node="1", **of_produce) == 1
    assert value(found, f"{prefix}errors_total", node="1", request="Fetch", error="NONE") == 1
    labels = {"node": "1", "quantile": "0.5"}
    parked = value(found, f"{prefix}remotetimems", request="FetchConsumer", **labels)
    assert parked == pytest.approx(50, abs=2)
    total = value(found, f"{prefix}totaltimems", request="Fetch", **labels)
    assert total >= parked


async def test_a_scrape_leaves_nothing_for_garbage_collection(tmp_path: Path) -> None:
    """A monitoring system asks every few seconds, and collections are rare."""
    async with running_cluster(tmp_path) as cluster:
        facts = ClusterFacts(cluster.cluster)
        facts.metrics()
        with without_garbage_collection():
            facts.metrics()
            assert gc.collect() == 0


async def test_without_wait_records_there_are_no_request_metrics(tmp_path: Path) -> None:
    """The other metrics exist."""
    async with running_cluster(tmp_path) as cluster:
        found = samples(ClusterFacts(cluster.cluster))

    assert not any("requestmetrics" in name for name, _ in found)
    assert ("kafka_server_replicamanager_leadercount", frozenset({("node", "1")})) in found


async def test_transactions_are_measured(tmp_path: Path) -> None:
    """One verification has failed, and the partitions of the state topic have been loaded."""
    async with three_nodes(tmp_path, transaction_state_log_num_partitions="1") as nodes:
        producer = TransactionalProducer(nodes)
        await producer.init()
        assert await producer.produce(TopicPartition("t", 0), b"a") == 0
        producer.producer_id += 1
        assert await producer.produce(TopicPartition("t", 0), b"a") != 0
        found = samples(ClusterFacts(nodes.cluster))
        statistics = node_statistics(nodes.cluster.nodes[0])["transactions"]

    channel = "kafka_coordinator_transaction_transactionmarkerchannelmanager_"
    sender = "kafka_server_addpartitionstotxnmanager_"
    loading = "kafka_server_transaction_coordinator_metrics_partition_load_time_max"
    assert value(found, f"{channel}unknowndestinationqueuesize", node="1") == 0
    assert value(found, f"{channel}logappendretryqueuesize", node="1") == 0
    assert value(found, f"{sender}verificationfailurerate_count", node="1") == 1
    assert value(found, f"{sender}verificationtimems", node="1", quantile="0.5") >= 0
    assert value(found, loading, node=str(producer.coordinator())) >= 0
    assert isinstance(statistics, dict)
    assert (statistics["verifications"], statistics["verification_failures"]) == (2, 1)
