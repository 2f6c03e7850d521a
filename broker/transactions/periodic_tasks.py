"""The periodic tasks of the transaction coordinator: aborts after timeouts, and expiration."""

from __future__ import annotations

from broker.common.clock import Clock
from broker.config import Config
from broker.steps.queue import Slices, StepQueue
from broker.steps.schedule import InSlices, schedule
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

    def remove_expired_transactional_ids() -> Slices[None]:
        expiration_ms = config.transactional_id_expiration_ms
        yield from remove_expired(transactions.states, expiration_ms, clock.wall_ms())
        actions.try_complete_actions()

    abort = InSlices(timer, steps, transactions.abort_timed_out)
    abort_ms = config.transaction_abort_timed_out_transaction_cleanup_interval_ms
    schedule(timer, abort, delay_ms=abort_ms, period_ms=abort_ms)
    expire = InSlices(timer, steps, remove_expired_transactional_ids)
    expire_ms = config.transaction_remove_expired_transaction_cleanup_interval_ms
    schedule(timer, expire, delay_ms=expire_ms, period_ms=expire_ms)
