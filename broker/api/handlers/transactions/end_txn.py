"""EndTxn: commits or aborts a transaction (KIP-98).

Behaviour: the response is sent when the decision is replicated, before markers are written. Until
all partitions have their markers, other requests of the producer get CONCURRENT_TRANSACTIONS.

Versions: 2 PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588), 4 TRANSACTION_ABORTABLE,
5 the identity for the next transaction, with a bumped epoch (KIP-890).
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.check import WRITE_TRANSACTIONAL_ID
from broker.api.authorization.checks import require
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.transactions.transaction_errors import as_old_error
from broker.api.handlers.transactions.transaction_waits import TransactionStateWait
from broker.api.handlers.wait_rules import transaction_rules
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.transactions.requests import EndTxn, EndTxnResult
from protocol.messages.end_txn import EndTxnRequest, EndTxnResponse

_EPOCH_BUMP_SINCE = 5


def end_txn(request: Request[EndTxnRequest]) -> Outcome:
    """Commit or abort the transaction; the response may be sent before this returns."""
    body = request.body
    require(request, WRITE_TRANSACTIONAL_ID, body.transactional_id)

    def response(result: EndTxnResult) -> EndTxnResponse:
        return EndTxnResponse(
            error_code=as_old_error(result.error, request.version),
            producer_id=result.producer_id,
            producer_epoch=result.producer_epoch,
        )

    transactions = request.services.transactions
    rules = partial(transaction_rules, request.services, body.transactional_id)
    wait = TransactionStateWait(body.transactional_id, transactions.value_in_writing, rules=rules)
    callback = ResponseCallback(request, response, wait)
    transactions.end_txn(
        EndTxn(
            transactional_id=body.transactional_id,
            producer_id=body.producer_id,
            producer_epoch=body.producer_epoch,
            commit=body.committed,
            client_version=2 if request.version >= _EPOCH_BUMP_SINCE else 0,
        ),
        callback,
    )
    return PARKED
