"""Describes ``/v1/cluster``: nodes, topics, replicas and offsets."""

from __future__ import annotations

from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.schema import (
    BOOLEAN,
    INTEGER,
    STRING,
    Schema,
    array,
    described,
    nullable,
    one_of,
    record,
    ref,
)

_OFFSETS = {
    "log_start_offset": nullable(INTEGER),
    "high_watermark": nullable(INTEGER),
    "log_end_offset": nullable(INTEGER),
}
NODE_STATE = one_of("running", "paused", "stopped")
PARTITION_FIELDS: dict[str, Schema] = {
    "partition": INTEGER,
    "leader": described(INTEGER, "-1: none"),
    "leader_epoch": INTEGER,
    "replicas": array(ref("Replica")),
    "isr": array(INTEGER),
    **_OFFSETS,
    "last_stable_offset": nullable(INTEGER),
    "held_back_by": described(
        nullable(ref("UnstableTransaction")),
        "the transaction because of which the last stable offset is below the high watermark",
    ),
}

CLUSTER = Section(
    "cluster",
    "Nodes, topics, replicas and offsets.",
    {
        "/v1/cluster": {
            "GET": Operation(
                "getCluster",
                "Return nodes, topics, leaders, in-sync replicas and offsets.",
                ref("Cluster"),
            )
        }
    },
    {
        "Cluster": record(cluster_id=STRING, nodes=array(ref("Node")), topics=array(ref("Topic"))),
        "Node": record(
            id=INTEGER,
            host=STRING,
            port=INTEGER,
            listeners={"type": "object", "additionalProperties": STRING},
            state=NODE_STATE,
            epoch=INTEGER,
            failure=described(nullable(STRING), "why the node has stopped by itself"),
        ),
        "Topic": record(name=STRING, id=STRING, partitions=array(ref("Partition"))),
        "Partition": record(**PARTITION_FIELDS),
        "UnstableTransaction": record(
            producer_id=INTEGER,
            transactional_id=nullable(STRING),
            state=one_of("open", "decided"),
            first_offset=INTEGER,
            held_ms=INTEGER,
        ),
        "Replica": record(
            node=INTEGER,
            in_sync=BOOLEAN,
            alive=BOOLEAN,
            caught_up_ms_ago=nullable(INTEGER),
            **_OFFSETS,
        ),
    },
)
