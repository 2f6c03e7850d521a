"""Describes ``/v1/transactions``: open and hanging transactions."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import flag, required, text, whole
from broker.admin.openapi.schema import (
    BOOLEAN,
    INTEGER,
    STRING,
    array,
    described,
    one_of,
    record,
    ref,
)

_INT_MAX = 2**31 - 1
_LONG_MAX = 2**63 - 1

TRANSACTIONS = Section(
    "transactions",
    "Open and hanging transactions.",
    {
        "/v1/transactions": {
            "GET": Operation(
                "listTransactions",
                "Return the open transactions, the oldest first, or those that hang.",
                record(
                    transactions=array(
                        {"oneOf": [ref("OpenTransaction"), ref("HangingTransaction")]}
                    )
                ),
                (
                    flag("hanging", "1: those that no coordinator has as an open transaction"),
                    whole("limit", "the largest number returned", 1, LIMIT_MAX, LIMIT_DEFAULT),
                ),
                (HTTPStatus.CONFLICT,),
            )
        },
        "/v1/transactions/abort": {
            "POST": Operation(
                "abortTransaction",
                "Write an abort marker for a hanging transaction, and return the transaction.",
                ref("HangingTransaction"),
                (
                    required(text("topic", "the topic of its partition")),
                    required(whole("partition", "its partition", 0, _INT_MAX)),
                    required(whole("producer_id", "its producer id", 0, _LONG_MAX)),
                ),
                (HTTPStatus.CONFLICT,),
            )
        },
    },
    {
        "OpenTransaction": record(
            node=described(INTEGER, "the coordinator"),
            transactional_id=STRING,
            producer_id=INTEGER,
            producer_epoch=INTEGER,
            state=one_of("Ongoing", "PrepareCommit", "PrepareAbort"),
            age_ms=INTEGER,
            timeout_ms=INTEGER,
            partitions=array(record(topic=STRING, partition=INTEGER, has_marker=BOOLEAN)),
            markers_outstanding=INTEGER,
        ),
        "HangingTransaction": record(
            node=described(INTEGER, "the leader of the partition"),
            topic=STRING,
            partition=INTEGER,
            producer_id=INTEGER,
            producer_epoch=INTEGER,
            coordinator_epoch=INTEGER,
            first_offset=INTEGER,
            age_ms=INTEGER,
        ),
    },
)
