"""Keys of transactions and their topic."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import Boolean, int16, int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class TransactionKeys:
    """Keys of transactions and their topic."""

    add_partitions_to_txn_retry_backoff_max_ms: int = key(
        "add.partitions.to.txn.retry.backoff.max.ms",
        int32(0),
        100,
        "How long a produce waits for the end of the producer's previous transaction.",
    )
    add_partitions_to_txn_retry_backoff_ms: int = key(
        "add.partitions.to.txn.retry.backoff.ms",
        int32(1),
        20,
        "The time between two requests that add a partition to a transaction for a produce.",
    )
    transaction_abort_timed_out_transaction_cleanup_interval_ms: int = key(
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        int32(1),
        10_000,
        "How often the coordinator aborts transactions that have exceeded their timeout.",
    )
    transaction_max_timeout_ms: int = key(
        "transaction.max.timeout.ms",
        int32(1),
        900_000,
        "The largest timeout that a transactional producer may have.",
    )
    transaction_partition_verification_enable: bool = key(
        "transaction.partition.verification.enable",
        Boolean(),
        True,
        "Whether older produce requests are appended only if their transaction has the partition.",
        update_mode=CLUSTER_WIDE,
    )
    transaction_remove_expired_transaction_cleanup_interval_ms: int = key(
        "transaction.remove.expired.transaction.cleanup.interval.ms",
        int32(1),
        3_600_000,
        "How often the coordinator removes expired transactional ids.",
    )
    transaction_state_log_min_isr: int = key(
        "transaction.state.log.min.isr",
        int32(1),
        2,
        "The min.insync.replicas of the topic of transactions, limited to the number of replicas.",
    )
    transaction_state_log_num_partitions: int = key(
        "transaction.state.log.num.partitions",
        int32(1),
        4,
        "The number of partitions of the topic of transactions.",
        kafka_default=50,
        reason="the producers of one machine do not need fifty logs to be created and recovered",
    )
    transaction_state_log_replication_factor: int = key(
        "transaction.state.log.replication.factor",
        int16(1),
        3,
        "The replication factor of the topic of transactions, limited to the number of nodes.",
    )
    transaction_state_log_segment_bytes: int = key(
        "transaction.state.log.segment.bytes",
        int32(1),
        104_857_600,
        "The segment size of the topic of transactions.",
    )
    transactional_id_expiration_ms: int = key(
        "transactional.id.expiration.ms",
        int32(1),
        604_800_000,
        "How long an unused transactional id is kept.",
    )
