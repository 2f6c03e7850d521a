"""The fault rules that keep what a request has written from being replicated, for its wait."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from broker.api.services import Services
from broker.common.topic_partition import TopicPartition
from broker.wait_records.wait import Facts


def partition_rules(services: Services, keys: Iterable[TopicPartition]) -> Facts:
    """The field ``faults`` of the wait for these partitions; empty if no rule is a reason."""
    if not services.faults.for_links and not services.faults.for_partitions:
        return {}
    rules: dict[int, Facts] = {}
    for key in keys:
        partition = services.replicas.partitions.get(key)
        if partition is not None and partition.leader_state is not None:
            found = partition.leader_state.rules_before(partition.log.log_end_offset)
            rules |= {rule["rule"]: rule for rule in found}
    return {"faults": list(rules.values())} if rules else {}


def group_rules(services: Services, group_ids: Collection[str]) -> Facts:
    """Those for the partitions that have the records of groups."""
    runtime = services.groups.runtime
    found = {TopicPartition(runtime.topic_name, runtime.partition_for(each)) for each in group_ids}
    return partition_rules(services, found)


def transaction_rules(services: Services, transactional_id: str) -> Facts:
    """Those for the partition that has the record of a transactional id."""
    runtime = services.transactions.runtime
    index = runtime.partition_for(transactional_id)
    return partition_rules(services, [TopicPartition(runtime.topic_name, index)])
