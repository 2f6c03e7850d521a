"""The commands of scripts for transactions.

    commit ... txn=5        a TxnOffsetCommit of producer id 5
    end 5 commit|abort      the marker of a transaction in the partition of the group

The response of ``offsets`` names the partitions with an offset in an open transaction.
"""

from __future__ import annotations

from broker.coordinators.coordinator_log import TransactionalProducer
from tests.broker.groups.consumer_commands import GROUP, ConsumerCommands


class TransactionCommands(ConsumerCommands):
    """Plays commands and collects the responses."""

    def _do_end(self, producer_id: str, result: str) -> None:
        self.world.coordinator.complete_transaction(
            self.world.coordinator.runtime.partition_for(GROUP),
            producer_id=int(producer_id),
            producer_epoch=0,
            coordinator_epoch=0,
            commit=result == "commit",
            transaction_version=0,
            on_response=lambda error: self._say(f"end {producer_id} {result} {error.name}"),
        )

    def _producer(self, options: dict[str, str]) -> TransactionalProducer | None:
        """The producer of a commit, if it is transactional."""
        return TransactionalProducer(int(options["txn"]), 0) if "txn" in options else None

    def _unstable(self) -> str:
        """The partitions with an offset in an open transaction."""
        unstable = sorted(self.world.coordinator.offsets.unstable(GROUP))
        return "".join(f" unstable {partition}" for partition in unstable)
