"""The metrics of quotas."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.admin.cluster_facts import ClusterFacts
from broker.quotas.entity import CONTROLLER_MUTATION_RATE, PRODUCER_BYTE_RATE, REQUEST_PERCENTAGE
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tests.batches import batch
from tests.broker.admin.facts.test_metrics import samples, value
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

QUOTA = "kafka_server_quota_"


async def test_the_use_of_quotas_is_measured(tmp_path: Path) -> None:
    """Rates, mean throttle times and tokens, by Kafka's names."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t")
        quotas = {PRODUCER_BYTE_RATE: 1000, CONTROLLER_MUTATION_RATE: 1}
        cluster.controller.client_quotas.alter((("user", None),), quotas)
        produced = await cluster.client(1).send(
            produce_request("t", batch(bytes(12_000))), PRODUCE_VERSION
        )
        large = CreatableTopic(
            name="u", num_partitions=13, replication_factor=1, assignments=[], configs=[]
        )
        await cluster.client(1).send(CreateTopicsRequest(topics=[large], timeout_ms=1000))
        found = samples(ClusterFacts(cluster.cluster))

    of_produce = {"node": "1", "resource": "Produce", "user": "ANONYMOUS", "clientId": ""}
    assert 1200 < value(found, f"{QUOTA}byte_rate", **of_produce) < 1230
    throttle_time_ms = value(found, f"{QUOTA}throttle_time", **of_produce)
    assert throttle_time_ms == pytest.approx(produced.throttle_time_ms)
    of_mutations = of_produce | {"node": "", "resource": "ControllerMutation"}
    assert value(found, f"{QUOTA}mutation_rate", **of_mutations) == pytest.approx(1.3)
    assert value(found, f"{QUOTA}tokens", **of_mutations) == pytest.approx(-2, abs=0.01)
    assert value(found, f"{QUOTA}throttle_time", **of_mutations) == 0


async def test_the_request_time_is_measured(tmp_path: Path) -> None:
    """Of each client that has a quota."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t")
        cluster.controller.client_quotas.alter((("client-id", None),), {REQUEST_PERCENTAGE: 1e6})
        await cluster.client(1).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        found = samples(ClusterFacts(cluster.cluster))

    labels = {"node": "1", "resource": "Request", "user": "", "clientId": "test"}
    assert value(found, f"{QUOTA}request_time", **labels) > 0
    assert value(found, f"{QUOTA}throttle_time", **labels) == 0
