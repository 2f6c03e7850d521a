"""An unexpected exception ends one request or one connection, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.api.error_responses.table import error_response
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.api.table import ALL_APIS
from broker.common.topic_partition import TopicPartition
from broker.quotas.throttle import Throttle
from broker.replication.delta_applier import DeltaApplier
from broker.steps.offload import WorkerThreads
from broker.steps.schedule import schedule_once
from broker.wait_records.recorder import Recorder
from protocol.codec import decode, encode
from protocol.errors import ErrorCode
from protocol.messages import REQUESTS
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.metadata import MetadataRequest
from protocol.messages.produce import ProduceRequest
from purgatories.operations.delayed_fetch import DelayedFetch
from purgatories.timer.timer_task import TimerTask
from tests.batches import batch
from tests.broker.api.broken_handlers import break_handler, contain_errors, replace_handler
from tests.client import running_cluster, running_node
from tests.protocol.random_messages import random_message
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

HANDLED: Any = HeartbeatRequest
HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


@pytest.fixture(autouse=True)
def _contained(monkeypatch: pytest.MonkeyPatch) -> None:
    contain_errors(monkeypatch)


@pytest.mark.parametrize("cls", REQUESTS.values(), ids=lambda cls: cls.__name__)
async def test_a_handler_that_raises_ends_in_the_error_response_of_its_api(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cls: Any
) -> None:
    """In every version; the next pipelined request and other connections are served."""
    rng = random.Random(cls.__name__)
    break_handler(monkeypatch, cls, ZeroDivisionError())
    ping: Any = MetadataRequest(topics=[]) if cls is ApiVersionsRequest else ApiVersionsRequest()
    async with running_node(tmp_path) as node:
        other = node.client()
        for number, version in enumerate(cls.__spec__.versions, 1):
            body = _with_response(random_message(rng, cls, version))
            client = node.client()
            client.start(body, version)
            client.start(ping, 0)

            response = await client.receive()

            sent = error_response(body, version, ErrorCode.UNKNOWN_SERVER_ERROR)
            assert response == decode(type(response), version, encode(sent, version))
            assert type(await client.receive()) is type(await other.send(ping, 0))
            counted = node.node.unexpected_errors.statistics()["requests"]
            assert counted == {cls.__name__.removesuffix("Request"): number}


def _with_response(body: Any) -> Any:
    """The request, changed so that it has a response: a produce may have none."""
    if isinstance(body, ProduceRequest):
        body.acks = -1
    return body


async def test_a_produce_without_a_response_that_raises_closes_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With acks=0 the client detects the error by the end of its connection, as in Kafka."""
    break_handler(monkeypatch, ProduceRequest, ZeroDivisionError())
    async with running_node(tmp_path) as node:
        client = node.client()
        client.start(produce_request("t", batch(b"x"), acks=0), PRODUCE_VERSION)
        client.start(ApiVersionsRequest(), 0)

        assert await client.closed()
        assert (await node.client().send(ApiVersionsRequest(), 0)).api_keys


async def test_the_log_names_the_request_and_the_place_of_an_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Client input is escaped, so that no line of the log begins with it."""
    break_handler(monkeypatch, HeartbeatRequest, ValueError("one\nERROR two\x1b[2J"))
    async with running_node(tmp_path) as node:
        await node.client().send(HEARTBEAT, 2, client_id="evil\n\x1b[31m")

    (record,) = caplog.records
    first, *traceback = record.getMessage().split("\n")
    assert first == (
        "node 1: unexpected error in a request: api=Heartbeat version=2 correlation_id=1 "
        r"client_id='evil\n\x1b[31m' peer='memory'"
    )
    assert all(line.startswith("    ") for line in traceback)
    assert traceback[0] == "    Traceback (most recent call last):"
    assert traceback[-2:] == ["    ValueError: one", r"    ERROR two\x1b[2J"]


async def test_a_completion_that_raises_ends_in_an_error_response(tmp_path: Path) -> None:
    """Ten other fetches wait for the same append: all of them get its records."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        clients = [node.client() for _ in range(11)]
        for client in clients:
            client.start(fetch_request("t", 0, max_wait_ms=60_000), FETCH_VERSION)
            await trio.testing.wait_all_tasks_blocked()
        _fail_on_completion(clients[5].connection.in_progress)
        await node.client().send(produce_request("t", batch(b"x")), PRODUCE_VERSION)

        responses = [await client.receive() for client in clients]

        assert [each.error_code for each in responses] == [0] * 5 + [-1] + [0] * 5
        assert all(
            each.responses[0].partitions[0].records for each in responses if not each.error_code
        )
        assert node.node.unexpected_errors.statistics()["requests"] == {"Fetch": 1}
        assert node.node.replication.purgatories.fetch.num_delayed() == 0
        assert (await clients[5].send(ApiVersionsRequest(), 0)).api_keys


async def test_an_expiration_that_raises_ends_in_an_error_response(tmp_path: Path) -> None:
    """The timer completes the operation, and runs the next one."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client, other = node.client(), node.client()
        client.start(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        _fail_on_completion(client.connection.in_progress)
        assert (await client.receive()).error_code == -1
        waited = await other.send(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
        assert waited.error_code == 0


def _fail_on_completion(request: object) -> None:
    """Make the completion of a parked fetch raise, also where its methods are compiled."""
    assert isinstance(request, Request)
    abandon: Any = request.on_disconnect
    operation: DelayedFetch[Any] = abandon.__self__
    operation._on_response = _fail  # noqa: SLF001 - a delayed operation has no public one


async def test_a_response_that_cannot_be_encoded_becomes_an_error_response(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No byte of it is sent; the connection serves the next request."""

    def heartbeat(_request: Request[Any]) -> object:
        return _Unencodable()

    replace_handler(monkeypatch, HeartbeatRequest, heartbeat)
    async with running_node(tmp_path) as node:
        client = node.client()
        assert (await client.send(HEARTBEAT, 2)).error_code == -1
        assert (await client.send(ApiVersionsRequest(), 0)).api_keys
        assert node.node.unexpected_errors.statistics()["requests"] == {"Heartbeat": 1}


class _Unencodable:
    """Not a message of the protocol."""


async def test_a_timer_task_that_raises_does_not_stop_the_timer(tmp_path: Path) -> None:
    """Tasks that expire at the same time run, and so do later ones."""
    ran = []

    class Fails(TimerTask):
        def run(self) -> None:
            raise ZeroDivisionError

    class Runs(TimerTask):
        def run(self) -> None:
            ran.append(self.delay_ms)

    async with running_node(tmp_path) as node:
        for task in (Runs(5), Fails(5), Runs(5), Runs(10)):
            node.node.timer.add(task)
        await trio.sleep(1)

        assert ran == [5, 5, 10]
        assert node.node.unexpected_errors.statistics() == {"requests": {}, "others": 1}


async def test_a_change_that_one_node_fails_to_apply_reaches_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request that caused the change has its response, and later changes reach all nodes."""
    async with running_cluster(tmp_path) as cluster:
        delta_applier = cluster.node(2).replication.delta_applier
        with monkeypatch.context() as patch:
            patch.setattr(delta_applier, "apply_topic", _fail)
            cluster.controller.create_topic("t")
        cluster.controller.create_topic("u")

        for node_id in (1, 2, 3):
            assert cluster.node(node_id).image.topic("t") is not None
            assert cluster.node(node_id).image.topic("u") is not None
        counts = [cluster.node(n).unexpected_errors.statistics()["others"] for n in (1, 2, 3)]
        assert counts == [0, 1, 0]


def _fail(*_arguments: object) -> None:
    raise ZeroDivisionError


async def test_a_later_slice_that_raises_ends_in_an_error_response(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that takes several steps of the loop ends like any other."""

    def heartbeat(_request: Request[Any]) -> Iterator[None]:
        for _ in range(10):
            yield
        raise ZeroDivisionError

    replace_handler(monkeypatch, HeartbeatRequest, heartbeat)
    async with running_node(tmp_path) as node:
        node.cluster.steps.now_ms = count().__next__
        client = node.client()
        client.start(HEARTBEAT, 2)
        client.start(ApiVersionsRequest(), 0)

        assert (await client.receive()).error_code == -1
        assert (await client.receive()).api_keys
        assert len(node.cluster.steps) == 0
        assert node.node.unexpected_errors.statistics()["requests"] == {"Heartbeat": 1}


async def test_a_computation_that_raises_ends_in_an_error_response(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception in the rest of the handler after it does so too."""

    def broken_work(request: Request[Any]) -> Outcome:
        return request.offload(lambda: 1 // 0, lambda _: HeartbeatResponse())

    def broken_rest(request: Request[Any]) -> Outcome:
        return request.offload(lambda: 0, lambda given: 1 // given)

    async with running_node(tmp_path, offload=WorkerThreads()) as node:
        client = node.client()
        for handler in (broken_work, broken_rest):
            replace_handler(monkeypatch, HeartbeatRequest, handler)
            assert (await client.send(HEARTBEAT, 2)).error_code == -1

        assert node.node.unexpected_errors.statistics()["requests"] == {"Heartbeat": 2}


async def test_a_decoder_that_raises_closes_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """There is no request to respond to."""
    async with running_node(tmp_path) as node:
        client = node.client()
        with monkeypatch.context() as patch:
            patch.setitem(ALL_APIS.loaded, _Undecodable.__spec__.key, (_Undecodable, _fail))
            client.start(HEARTBEAT, 2)
            assert await client.closed()

        assert (await node.client().send(ApiVersionsRequest(), 0)).api_keys
        assert "api=Heartbeat version=2 correlation_id=1" in caplog.text
        assert node.node.unexpected_errors.statistics()["requests"] == {"Heartbeat": 1}


class _Undecodable:
    """Not a message of the protocol, so that it gets no reader."""

    __spec__ = HANDLED.__spec__


async def test_a_node_that_fails_to_start_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays stopped and fenced, and can be started when the cause is removed."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t")
        await cluster.cluster.stop(2)
        with monkeypatch.context() as patch:
            patch.setattr(DeltaApplier, "apply_topic", _fail)
            with pytest.raises(ZeroDivisionError):
                await cluster.cluster.start(2)

        assert cluster.controller.image.brokers[2].fenced
        await cluster.cluster.start(2)
        assert cluster.node(2).image.topic("t") is not None


async def test_a_leader_that_would_follow_itself_stops(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken invariant of replicas stops its node only, whichever task detects it."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(2, 1, 3)])
        await trio.testing.wait_all_tasks_blocked()
        node = cluster.node(2)
        partition = node.replicas.partitions[TopicPartition("t", 0)]
        schedule_once(
            node.timer, lambda: partition.append_as_follower(memoryview(b""), 0, 0, 0), delay_ms=1
        )
        await trio.sleep(1)

        states = [member.state for member in cluster.cluster.members.values()]
        assert states == ["running", "stopped", "running"]
        assert cluster.cluster.members[2].failure == (
            "InvariantBroken: the leader of t-0 cannot append as a follower"
        )


async def test_an_error_response_has_the_throttle_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection is muted for that time (KIP-219), with or without an error."""

    def throttled(request: Request[Any]) -> None:
        request.throttle(Throttle(700, "request_percentage", (), 2, 1))
        raise ZeroDivisionError

    replace_handler(monkeypatch, HeartbeatRequest, throttled)
    async with running_node(tmp_path) as node:
        client = node.client()
        began = trio.current_time()
        client.start(HEARTBEAT, 2)
        client.start(ApiVersionsRequest(), 0)

        response = await client.receive()
        assert (response.error_code, response.throttle_time_ms) == (-1, 700)
        assert (await client.receive()).api_keys
        assert trio.current_time() - began >= 0.7


async def test_a_response_does_not_depend_on_its_wait_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that cannot be recorded still has its response."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        monkeypatch.setattr(cluster.cluster.recorder, "completed", _fail)
        client = cluster.client(1)

        assert (await client.send(ApiVersionsRequest(), 0)).api_keys
        assert (await client.send(ApiVersionsRequest(), 0)).api_keys
        assert cluster.node(1).unexpected_errors.statistics() == {"requests": {}, "others": 2}


async def test_a_large_response_whose_record_fails_ends_its_connection_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task that sends the rest of it belongs to the connection."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        client = cluster.client(1, room=100)
        client.start(ApiVersionsRequest(), 0)
        await trio.testing.wait_all_tasks_blocked()
        with monkeypatch.context() as patch:
            patch.setattr(cluster.cluster.recorder, "sent", _fail)
            assert (await client.receive()).api_keys
            await trio.testing.wait_all_tasks_blocked()

        assert cluster.cluster.members[1].state == "running"
        assert (await cluster.client(1).send(ApiVersionsRequest(), 0)).api_keys
