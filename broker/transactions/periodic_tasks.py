"""The periodic tasks of the transaction coordinator: aborts after timeouts, and expiration."""

from __future__ import annotations

from broker.common.clock import Clock
from broker.config import Config
from broker.steps.queue import StepQueue
from broker.steps.schedule import schedule
from broker.transactions.coordinator import TransactionCoordinator
from broker.transactions.expiration import remove_expired
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer


def schedule_transaction_tasks(
    timer: SystemTimer,
    transactions: TransactionCoordinator,
    config: Config,
    clock: Clock,
    steps: StepQueue,
    actions: ActionQueue,
) -> None:
    """Run each task after its interval, and then after every interval."""

    def abort_timed_out_transactions() -> None:
        steps.start(transactions.abort_timed_out(), lambda _: None)

    def remove_expired_transactional_ids() -> None:
        expiration_ms = config.transactional_id_expiration_ms
        slices = remove_expired(transactions.states, expiration_ms, clock.wall_ms())
        steps.start(slices, lambda _: actions.try_complete_actions())

    abort_ms = config.transaction_abort_timed_out_transaction_cleanup_interval_ms
    schedule(timer, abort_timed_out_transactions, delay_ms=abort_ms, period_ms=abort_ms)
    expire_ms = config.transaction_remove_expired_transaction_cleanup_interval_ms
    schedule(timer, remove_expired_transactional_ids, delay_ms=expire_ms, period_ms=expire_ms)
