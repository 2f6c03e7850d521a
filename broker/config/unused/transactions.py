"""Keys of transactions, which have no effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import Boolean, int16, int32

_transactions = no_effect("transactions are not supported")

KEYS = (
    _transactions("add.partitions.to.txn.retry.backoff.max.ms", int32(0), 100),
    _transactions("add.partitions.to.txn.retry.backoff.ms", int32(1), 20),
    _transactions("transaction.abort.timed.out.transaction.cleanup.interval.ms", int32(1), 10_000),
    _transactions("transaction.max.timeout.ms", int32(1), 900_000),
    _transactions(
        "transaction.partition.verification.enable",
        Boolean(),
        default=True,
        update_mode=CLUSTER_WIDE,
    ),
    _transactions(
        "transaction.remove.expired.transaction.cleanup.interval.ms", int32(1), 3_600_000
    ),
    _transactions("transaction.state.log.load.buffer.size", int32(1), 5_242_880),
    _transactions("transaction.state.log.min.isr", int32(1), 2),
    _transactions("transaction.state.log.num.partitions", int32(1), 50),
    _transactions("transaction.state.log.replication.factor", int16(1), 3),
    _transactions("transaction.state.log.segment.bytes", int32(1), 104_857_600),
    _transactions("transaction.two.phase.commit.enable", Boolean(), default=False),
    _transactions("transactional.id.expiration.ms", int32(1), 604_800_000),
)
