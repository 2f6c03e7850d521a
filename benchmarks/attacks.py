"""`python -m benchmarks.attacks`: the latency of a client while another sends long requests.

A client produces a small record every five milliseconds, in a process of its own: first alone, then
while another client repeats one kind of long request. The table has its 99th percentile in both
cases, their ratio, and the number of event-loop steps over budget meanwhile. The aim is a ratio of
at most ten; on a busy machine the steps include the time of other processes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from integration.fuzz.broker import FuzzedBroker, ValidClient
from integration.wire.connection import Connection
from protocol.headers import encode_request
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from protocol.messages.elect_leaders import ElectLeadersRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

TIMEOUT_MS = 60_000
BROKER, PREFERRED = 4, 0
LARGE = "large"
_names = count()

# The frames of one round; they are sent together, and all responses are read.
Attack = Callable[[], Sequence[bytes]]


def main() -> int:
    """Run each attack for a while, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--only", nargs="*", choices=ATTACKS, default=list(ATTACKS))
    options = parser.parse_args()
    print(f"{'attack':34}{'quiet p99':>10}{'p99':>10}{'ratio':>8}{'steps over':>12}{'longest':>10}")
    with tempfile.TemporaryDirectory() as directory:
        broker = FuzzedBroker(Path(directory))
        try:
            _send(broker, [_frame(_created(LARGE, 2000))])
            for name in options.only:
                _measure(broker, name, options.seconds)
        finally:
            broker.stop()
    return 0


def _measure(broker: FuzzedBroker, name: str, seconds: float) -> None:
    quiet = ValidClient(broker.bootstrap)
    time.sleep(seconds)
    quiet_ms = quiet.finish()["p99_ms"]
    before = broker.admin.call("GET", "/v1/statistics")["steps"]
    client = ValidClient(broker.bootstrap)
    time.sleep(0.5)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _send(broker, ATTACKS[name]())
    attacked_ms = client.finish()["p99_ms"]
    after = broker.admin.call("GET", "/v1/statistics")["steps"]
    over = after["over_budget"] - before["over_budget"]
    longest = max([0, *(each["ms"] for each in after["last"][-over:])]) if over else 0
    print(
        f"{name:34}{quiet_ms:>7.2f} ms{attacked_ms:>7.2f} ms{attacked_ms / quiet_ms:>8.1f}"
        f"{over:>12}{longest:>7} ms",
        flush=True,
    )


def _send(broker: FuzzedBroker, frames: Sequence[bytes]) -> None:
    with Connection(broker.bootstrap, timeout=TIMEOUT_MS / 1000) as connection:
        connection.send(b"".join(frames))
        for _ in frames:
            try:
                connection.receive()
            except (EOFError, ConnectionError):
                return  # refused


def _frame(body: Any, version: int | None = None) -> bytes:
    version = body.__spec__.versions[-1] if version is None else version
    return encode_request(body, version, 1, "attacker")


# ------------------------------------------------------------------------------------ attacks


def _created(name: str, partitions: int) -> CreateTopicsRequest:
    topic = CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=1, assignments=[], configs=[]
    )
    return CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS)


def _deleted(names: Sequence[str]) -> bytes:
    topics = [DeleteTopicState(name=name) for name in names]
    return _frame(DeleteTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS))


def _many_topics() -> list[bytes]:
    first = next(_names)
    names = [f"many-{first}-{index}" for index in range(1000)]
    topics = [topic for name in names for topic in _created(name, 1).topics]
    return [
        _frame(CreateTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS)),
        _deleted(names),
    ]


def _many_partitions() -> list[bytes]:
    name = f"wide-{next(_names)}"
    return [_frame(_created(name, 3000)), _deleted([name])]


def _delete_records() -> list[bytes]:
    partitions = [DeleteRecordsPartition(partition_index=each, offset=-1) for each in range(2000)]
    topic = DeleteRecordsTopic(name=LARGE, partitions=partitions)
    return [_frame(DeleteRecordsRequest(topics=[topic], timeout_ms=TIMEOUT_MS))]


def _elections() -> list[bytes]:
    requested = ElectLeadersRequest(
        election_type=PREFERRED, topic_partitions=None, timeout_ms=TIMEOUT_MS
    )
    return [_frame(requested)] * 10


def _metadata() -> list[bytes]:
    return [_frame(MetadataRequest(topics=None))] * 40


def _configs() -> list[bytes]:
    resource = DescribeConfigsResource(
        resource_type=BROKER, resource_name="1", configuration_keys=None
    )
    return [_frame(DescribeConfigsRequest(resources=[resource] * 500))]


def _names_of_nothing() -> list[bytes]:
    topics = [MetadataRequestTopic(name=f"n{index}") for index in range(150_000)]
    return [_frame(MetadataRequest(topics=topics, allow_auto_topic_creation=False))]


def _commits() -> list[bytes]:
    partition = OffsetCommitRequestPartition(
        partition_index=-1, committed_offset=0, committed_metadata=""
    )
    topic = OffsetCommitRequestTopic(name=LARGE, partitions=[partition] * 150_000)
    requested = OffsetCommitRequest(group_id="g", member_id="", topics=[topic])
    return [_frame(requested, 8)]


def _too_many_items() -> list[bytes]:
    topics = [MetadataRequestTopic(name="n")] * 2_000_000
    return [_frame(MetadataRequest(topics=topics, allow_auto_topic_creation=False))]


ATTACKS: dict[str, Attack] = {
    "CreateTopics of 1,000 topics": _many_topics,
    "CreateTopics of 3,000 partitions": _many_partitions,
    "DeleteRecords of 2,000 partitions": _delete_records,
    "10 ElectLeaders of all": _elections,
    "40 Metadata of all": _metadata,
    "DescribeConfigs of a node, 500 times": _configs,
    "Metadata of 150,000 names": _names_of_nothing,
    "OffsetCommit of 150,000 partitions": _commits,
    "Metadata of 2,000,000 names": _too_many_items,
}

if __name__ == "__main__":
    raise SystemExit(main())
