"""ListTransactions: the transactional ids that this node coordinates (KIP-664).

Behaviour: an empty filter matches all ids; those that the client may not describe are omitted.
Unknown names of states are returned; if all names are unknown, no id matches. The duration is the
time since the start of the last transaction; an id without a transaction passes every such filter,
as in Kafka. The response has no ids while any partition is being loaded.

Versions: 1 a filter by duration (KIP-994), 2 a filter by a pattern of ids, in the syntax
of RE2/J (KIP-1152).

Deviation: categories of characters in a pattern are those of a newer version of Unicode.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_TRANSACTIONAL_ID
from broker.api.authorization.checks import is_authorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.consumer.regex.program import Program
from broker.groups.consumer.regex.syntax import InvalidRegex
from broker.steps.queue import Slices
from broker.transactions.metadata import TransactionMetadata
from broker.transactions.transaction_state import STATE_BY_LABEL
from protocol.errors import ErrorCode
from protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)


def list_transactions(
    request: Request[ListTransactionsRequest],
) -> Slices[ListTransactionsResponse]:
    """List the ids that match all filters."""
    try:
        request.services.transactions.runtime.check_all()
    except ApiError as error:
        return ListTransactionsResponse(error_code=error.code)
    body = request.body
    try:
        is_listed = _Filter(body, request.services.clock.wall_ms())
    except InvalidRegex:
        return ListTransactionsResponse(error_code=ErrorCode.INVALID_REGULAR_EXPRESSION)
    response = ListTransactionsResponse(
        unknown_state_filters=[
            name for name in dict.fromkeys(body.state_filters) if name not in STATE_BY_LABEL
        ]
    )
    for entry in request.services.transactions.states.all_entries():
        yield None
        if is_listed(entry) and _is_visible(request, entry.transactional_id):
            listed = TransactionState(
                transactional_id=entry.transactional_id,
                producer_id=entry.value.producer_id,
                transaction_state=entry.value.state.label,
            )
            if (yield from is_listed.matches(entry.transactional_id)):
                response.transaction_states.append(listed)
    return response


def _is_visible(request: Request[ListTransactionsRequest], transactional_id: str) -> bool:
    return is_authorized(
        request, DESCRIBE_TRANSACTIONAL_ID, transactional_id, is_refusal_logged=False
    )


class _Filter:
    """Whether an id passes the filters of a request; raises `InvalidRegex` for its pattern.

    The pattern is matched apart from the others, in slices: that of a long id takes seconds.
    """

    def __init__(self, body: ListTransactionsRequest, now_ms: int) -> None:
        self._labels = frozenset(body.state_filters)
        self._producer_ids = frozenset(body.producer_id_filters)
        duration_ms = body.duration_filter
        self._started_before_ms = None if duration_ms < 0 else now_ms - duration_ms
        pattern = body.transactional_id_pattern
        self._program = Program(pattern) if pattern else None

    def __call__(self, entry: TransactionMetadata) -> bool:
        value = entry.value
        return (
            (not self._producer_ids or value.producer_id in self._producer_ids)
            and (not self._labels or value.state.label in self._labels)
            and (self._started_before_ms is None or value.start_ms < self._started_before_ms)
        )

    def matches(self, transactional_id: str) -> Slices[bool]:
        """Whether the id matches the pattern, if there is one."""
        return self._program is None or (yield from self._program.match(transactional_id))
