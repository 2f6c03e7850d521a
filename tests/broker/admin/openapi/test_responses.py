"""Responses of a cluster have the described fields, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio.testing

from broker.admin.access import AccessRules
from broker.admin.cluster_facts import ClusterFacts
from broker.admin.http import HttpError, HttpRequest, PlainText
from broker.admin.openapi.document import openapi_document
from broker.admin.paths import routes
from broker.admin.routes import Router
from broker.cluster import Cluster
from broker.security.admin_tokens import AdminTokens
from broker.steps.stalls import Stall
from broker.wait_records.outbox import Outbox
from broker.wait_records.recorder import Recorder
from broker.wait_records.records_file import RecordsFile
from broker.wait_records.records_topic import RecordsTopic
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    Topology,
)
from tests.batches import batch
from tests.client import RunningCluster, running_cluster
from tests.described import Description
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request
from tests.share_group import share_group

pytestmark = pytest.mark.anyio

DESCRIPTION = Description(openapi_document())


class DescribedRouter:
    """Sends requests and compares each response with the description."""

    def __init__(self, cluster: Cluster) -> None:
        rules = AccessRules(frozenset({"h"}), AdminTokens("full", "reads"))
        table = routes(ClusterFacts(cluster), cluster.timer)
        self._router = Router(table, rules)

    async def request(self, target: str, method: str = "GET", token: str = "full") -> int:
        """The status of the response."""
        headers = {"host": "h", "authorization": f"Bearer {token}"}
        status, value = await self._response(HttpRequest(method, target, headers))
        DESCRIPTION.check(method, target, status, value)
        return status

    async def _response(self, request: HttpRequest) -> tuple[int, Any]:
        try:
            response = await self._router(request)
        except HttpError as error:
            return error.status, {"error": error.message}
        value = response.value
        return response.status, value.text if isinstance(value, PlainText) else value


async def _with_traffic(cluster: RunningCluster, folder: Path) -> DescribedRouter:
    """Requests that wait and that have completed, both sinks, and a step over budget."""
    recorder = cluster.cluster.recorder
    assert recorder is not None
    sinks = (
        RecordsFile(folder / "records", bytes_max=1000, files_max=2),
        RecordsTopic("waits", cluster.cluster, cluster.cluster.clock),
    )
    recorder.outbox = Outbox(cluster.node(1).timer, sinks)
    cluster.cluster.stalls.add(Stall(1.0, 30.0, "task", None))
    cluster.controller.create_topic("t", assignments=[(1, 2)])
    client = cluster.client(1)
    await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
    client.start(fetch_request("t", 1, max_wait_ms=60_000), FETCH_VERSION)
    await trio.testing.wait_all_tasks_blocked()
    return DescribedRouter(cluster.cluster)


async def test_the_state_of_a_cluster_is_as_described(tmp_path: Path) -> None:
    """With requests that wait and others that have completed."""
    async with running_cluster(tmp_path, recorder=Recorder) as cluster:
        router = await _with_traffic(cluster, tmp_path)
        for target in (
            "/metrics",
            "/v1/cluster",
            "/v1/statistics",
            "/v1/timers",
            "/v1/requests",
            "/v1/requests?parked=1&followers=1",
            "/v1/sessions",
            "/v1/transactions",
            "/v1/wait?for=parked&api=Fetch",
            "/v1/wait?for=isr&topic=t",
            "/v1/wait?for=requests&api=Fetch",
            "/v1/wait?for=lso",
            "/v1/wait?for=topic&topic=t",
            "/v1/wait?for=topic_deleted&topic=gone",
            "/v1/wait?for=client_connected&client=test",
            "/v1/wait?for=client_gone&client=gone",
            "/v1/connections?followers=1",
            "/v1/groups",
            "/v1/firings",
            "/v1/openapi.json",
        ):
            assert await router.request(target) == 200, target


@pytest.mark.parametrize(
    "joining",
    [
        ShareGroupHeartbeatRequest(
            group_id="g", member_id="a", member_epoch=0, subscribed_topic_names=["t"]
        ),
        StreamsGroupHeartbeatRequest(
            group_id="g",
            member_id="a",
            member_epoch=0,
            rebalance_timeout_ms=60_000,
            topology=Topology(
                epoch=0, subtopologies=[Subtopology(subtopology_id="0", source_topics=["t"])]
            ),
            active_tasks=[],
            standby_tasks=[],
            warmup_tasks=[],
        ),
    ],
    ids=["share", "streams"],
)
async def test_all_kinds_of_groups_are_as_described(tmp_path: Path, joining: Any) -> None:
    """And the sessions of their members."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        await client.send(FindCoordinatorRequest(coordinator_keys=["g"]))
        assert (await client.send(joining)).error_code == 0

        router = DescribedRouter(cluster.cluster)

        assert await router.request("/v1/groups?group=g") == 200
        assert await router.request("/v1/sessions?group=g") == 200


async def test_share_partitions_are_as_described(tmp_path: Path) -> None:
    """With records that are acquired, and as the share coordinator has stored them."""
    async with share_group(tmp_path) as g:
        router = DescribedRouter(g.node.cluster)
        await g.produce(3)
        await g.member("a").fetch()
        for target in (
            "/v1/share_partitions",
            "/v1/wait?for=share_acquired&group=g&count=3",
            "/v1/wait?for=share_lag&group=g&lag=3",
        ):
            assert await router.request(target) == 200, target
        g.node.node.share_groups.partitions.partitions.end_group("g")
        assert await router.request("/v1/share_partitions?group=g") == 200


async def test_adjustments_of_the_clock_are_as_described(tmp_path: Path) -> None:
    """An advance completes a fetch, whose record is in the response."""
    async with running_cluster(tmp_path, recorder=Recorder) as cluster:
        router = await _with_traffic(cluster, tmp_path)

        for target in ("freeze", "advance?ms=60000", "advance?to=timer", "run?speed=2"):
            assert await router.request(f"/v1/clock/{target}", "POST") == 200, target
        assert await router.request("/v1/clock") == 200
        assert await router.request("/v1/marks", "POST") == 200


async def test_faults_of_a_node_are_as_described(tmp_path: Path) -> None:
    """The response is the node in its new state."""
    async with running_cluster(tmp_path, recorder=Recorder) as cluster:
        router = await _with_traffic(cluster, tmp_path)

        for change in ("pause", "resume", "stop", "start"):
            assert await router.request(f"/v1/nodes/2/{change}", "POST") == 200, change


async def test_refusals_are_as_described(tmp_path: Path) -> None:
    """All errors have one schema, and each status is described for its operation."""
    async with running_cluster(tmp_path) as cluster:
        router = DescribedRouter(cluster.cluster)

        assert await router.request("/v1/cluster?unknown=1") == 400
        assert await router.request("/v1/cluster", token="other") == 401
        assert await router.request("/v1/clock/freeze", "POST", token="reads") == 403
        assert await router.request("/v1/nodes/9/pause", "POST") == 404
        assert await router.request("/v1/nodes/1/resume", "POST") == 409
        assert await router.request("/v1/requests") == 501
        assert await router.request("/v1/wait?for=parked&timeout_ms=0") == 408
        assert await router.request("/v1/wait?for=requests&since=mark-1") == 400
        abort = "/v1/transactions/abort?topic=t&partition=0&producer_id=1"
        assert await router.request(abort, "POST") == 409
        assert await router.request("/v1/clock/advance?to=session&member=m", "POST") == 409
