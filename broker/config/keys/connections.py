"""Keys of connections and requests."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import INT_MAX, CountsByAddress, int32, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class ConnectionKeys:
    """Keys of connections and requests."""

    socket_request_max_bytes: int = key(
        "socket.request.max.bytes",
        int32(1),
        104_857_600,
        "The largest request in bytes; a larger one closes its connection.",
    )
    socket_send_buffer_bytes: int = key(
        "socket.send.buffer.bytes",
        int32(),
        262_144,
        "The size of the socket's send buffer; -1: the operating system's default.",
        kafka_default=102_400,
        reason="with 100 kB a fetch of 1 MB takes a third more processor time",
    )
    socket_receive_buffer_bytes: int = key(
        "socket.receive.buffer.bytes",
        int32(),
        -1,
        "The size of the socket's receive buffer; -1: the operating system's default.",
        kafka_default=102_400,
        reason="with 100 kB a produce of 1 MB takes almost twice the processor time",
    )
    connections_max_idle_ms: int = key(
        "connections.max.idle.ms",
        int64(),
        600_000,
        "A connection without traffic for this long is closed; negative: never.",
    )
    max_connections: int = key(
        "max.connections",
        int32(0),
        INT_MAX,
        "The largest number of connections of a node; others wait to be accepted.",
        update_mode=CLUSTER_WIDE,
    )
    max_connections_per_ip: int = key(
        "max.connections.per.ip",
        int32(0),
        INT_MAX,
        "The largest number of connections from one address; others are closed at once.",
        update_mode=CLUSTER_WIDE,
    )
    max_connections_per_ip_overrides: str = key(
        "max.connections.per.ip.overrides",
        CountsByAddress(),
        "",
        "Values of max.connections.per.ip for individual addresses.",
        update_mode=CLUSTER_WIDE,
    )
    max_connection_creation_rate: int = key(
        "max.connection.creation.rate",
        int32(0),
        INT_MAX,
        "The largest number of connections that a node accepts per second; others wait.",
        update_mode=CLUSTER_WIDE,
    )
    quota_window_num: int = key(
        "quota.window.num",
        int32(1),
        11,
        "The number of time windows over which a client's rate is measured.",
    )
    quota_window_size_seconds: int = key(
        "quota.window.size.seconds", int32(1), 1, "The length of such a window."
    )
    controller_quota_window_num: int = key(
        "controller.quota.window.num",
        int32(1),
        11,
        "For how many time windows a client may create and delete partitions at once.",
    )
    controller_quota_window_size_seconds: int = key(
        "controller.quota.window.size.seconds", int32(1), 1, "The length of such a window."
    )
    request_timeout_ms: int = key(
        "request.timeout.ms",
        int32(),
        30_000,
        "How long a request between nodes waits for its response before its connection is closed.",
    )
    queued_max_request_bytes: int = key(
        "queued.max.request.bytes",
        int64(),
        -1,
        "The bytes of partly received requests at which no further request is begun; 0 or less: no "
        "limit.",
    )
    fetch_max_bytes: int = key(
        "fetch.max.bytes",
        int32(1024),
        57_671_680,
        "The largest size of the records in a Fetch response, whatever the request allows. A first "
        "batch that is larger is sent nevertheless.",
    )
    max_incremental_fetch_session_cache_slots: int = key(
        "max.incremental.fetch.session.cache.slots",
        int32(0),
        1000,
        "The largest number of incremental fetch sessions (KIP-227).",
    )
    max_request_partition_size_limit: int = key(
        "max.request.partition.size.limit",
        int32(1),
        2000,
        "The largest number of partitions in a DescribeTopicPartitions response.",
    )
