"""Keys of connections and requests."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import ANYWHERE, key
from broker.config.kinds import INT_MAX, CountsByAddress, int32, int64


@dataclass(kw_only=True)
class ConnectionKeys:
    """Keys of connections and requests."""

    socket_request_max_bytes: int = key(
        "socket.request.max.bytes",
        int32(1),
        104_857_600,
        "The largest request in bytes; a longer one closes its connection.",
    )
    socket_send_buffer_bytes: int = key(
        "socket.send.buffer.bytes",
        int32(),
        102_400,
        "What the system holds of responses for a client that does not read; -1: as it likes.",
    )
    socket_receive_buffer_bytes: int = key(
        "socket.receive.buffer.bytes",
        int32(),
        -1,
        "What the system holds of requests that are not read yet; -1: as it likes.",
        kafka_default=102_400,
        because="with 100 kB a produce of 1 MB takes nearly twice the processor time",
    )
    connections_max_idle_ms: int = key(
        "connections.max.idle.ms",
        int64(),
        600_000,
        "A connection on which nothing came for this long is closed; negative: never.",
    )
    max_connections: int = key(
        "max.connections",
        int32(0),
        INT_MAX,
        "The most connections a node has at a time; others wait to be accepted.",
        change=ANYWHERE,
    )
    max_connections_per_ip: int = key(
        "max.connections.per.ip",
        int32(0),
        INT_MAX,
        "The most connections a node has from one address; others are closed at once.",
        change=ANYWHERE,
    )
    max_connections_per_ip_overrides: str = key(
        "max.connections.per.ip.overrides",
        CountsByAddress(),
        "",
        "For some addresses another number than max.connections.per.ip.",
        change=ANYWHERE,
    )
    max_connection_creation_rate: int = key(
        "max.connection.creation.rate",
        int32(0),
        INT_MAX,
        "The most connections a node accepts a second; others wait to be accepted.",
        change=ANYWHERE,
    )
    quota_window_num: int = key(
        "quota.window.num",
        int32(1),
        11,
        "Over how many windows of time a client's rate is measured.",
    )
    quota_window_size_seconds: int = key(
        "quota.window.size.seconds", int32(1), 1, "How long such a window is."
    )
    queued_max_request_bytes: int = key(
        "queued.max.request.bytes",
        int64(),
        -1,
        "Bytes of requests that may lie here half received before no more are begun; 0 or less: no "
        "limit.",
    )
    fetch_max_bytes: int = key(
        "fetch.max.bytes",
        int32(1024),
        57_671_680,
        "The most bytes of records a Fetch is answered with, whatever it asks for. A first batch "
        "that is larger is sent all the same.",
    )
    max_incremental_fetch_session_cache_slots: int = key(
        "max.incremental.fetch.session.cache.slots",
        int32(0),
        1000,
        "How many incremental fetch sessions are kept (KIP-227).",
    )
    max_request_partition_size_limit: int = key(
        "max.request.partition.size.limit",
        int32(1),
        2000,
        "The most partitions one DescribeTopicPartitions answer holds.",
    )
