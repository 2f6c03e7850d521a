"""Keys of threads, sockets and quotas, which have no effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import int32, int64

_threads = no_effect("one thread serves all requests")
_sockets = no_effect("the operating system's default applies")
_quotas = no_effect("these quotas are not enforced")

KEYS = (
    _threads("background.threads", int32(1), 10, CLUSTER_WIDE),
    _threads("group.coordinator.background.threads", int32(1), 2),
    _threads("group.coordinator.threads", int32(1), 4),
    _threads("num.io.threads", int32(1), 8, CLUSTER_WIDE),
    _threads("num.network.threads", int32(1), 3, CLUSTER_WIDE),
    _threads("num.recovery.threads.per.data.dir", int32(1), 2, CLUSTER_WIDE),
    _threads("num.replica.alter.log.dirs.threads", int32(), None),
    _threads("num.replica.fetchers", int32(1), 1, CLUSTER_WIDE),
    _threads("queued.max.requests", int32(1), 500),
    _sockets("replica.socket.receive.buffer.bytes", int32(), 65_536),
    _sockets("socket.connection.setup.timeout.max.ms", int64(), 30_000),
    _sockets("socket.listen.backlog.size", int32(1), 50),
    _quotas("alter.log.dirs.replication.quota.window.num", int32(1), 11),
    _quotas("alter.log.dirs.replication.quota.window.size.seconds", int32(1), 1),
)
