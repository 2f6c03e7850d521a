"""Keys of threads, sockets and quotas, which have no effect here."""

from __future__ import annotations

from broker.config.key import ANYWHERE, no_effect
from broker.config.kinds import int32, int64

_threads = no_effect("one thread serves all requests")
_sockets = no_effect("socket buffers are those of the operating system")
_requests = no_effect("nodes of one process are not out of reach for long")
_quotas = no_effect("such quotas hold nobody up")

KEYS = (
    _threads("background.threads", int32(1), 10, ANYWHERE),
    _threads("group.coordinator.background.threads", int32(1), 2),
    _threads("group.coordinator.threads", int32(1), 4),
    _threads("num.io.threads", int32(1), 8, ANYWHERE),
    _threads("num.network.threads", int32(1), 3, ANYWHERE),
    _threads("num.recovery.threads.per.data.dir", int32(1), 2, ANYWHERE),
    _threads("num.replica.alter.log.dirs.threads", int32(), None),
    _threads("num.replica.fetchers", int32(1), 1, ANYWHERE),
    _threads("queued.max.requests", int32(1), 500),
    _sockets("replica.socket.receive.buffer.bytes", int32(), 65_536),
    _sockets("replica.socket.timeout.ms", int32(), 30_000),
    _sockets("socket.connection.setup.timeout.max.ms", int64(), 30_000),
    _sockets("socket.connection.setup.timeout.ms", int64(), 10_000),
    _sockets("socket.listen.backlog.size", int32(1), 50),
    _requests("request.timeout.ms", int32(), 30_000),
    _quotas("alter.log.dirs.replication.quota.window.num", int32(1), 11),
    _quotas("alter.log.dirs.replication.quota.window.size.seconds", int32(1), 1),
    _quotas("controller.quota.window.num", int32(1), 11),
    _quotas("controller.quota.window.size.seconds", int32(1), 1),
    _quotas("replication.quota.window.num", int32(1), 11),
    _quotas("replication.quota.window.size.seconds", int32(1), 1),
)
