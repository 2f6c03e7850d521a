"""WriteTxnMarkers: writes the markers that end a transaction; brokers send it.

v1 flexible, v2 transactions v2 (KIP-1228).
"""

from __future__ import annotations

from protocol.apis import WRITE_TXN_MARKERS
from protocol.schema import body, boolean, int8, int16, int32, int64, since, string, struct


@body(WRITE_TXN_MARKERS)
class WriteTxnMarkersRequest:
    markers: list[WritableTxnMarker]


@struct
class WritableTxnMarker:
    producer_id: int64
    producer_epoch: int16
    transaction_result: boolean
    topics: list[WritableTxnMarkerTopic]
    coordinator_epoch: int32
    transaction_version: int8 = since(2, default=0)


@struct
class WritableTxnMarkerTopic:
    name: string
    partition_indexes: list[int32]


@body(WRITE_TXN_MARKERS)
class WriteTxnMarkersResponse:
    markers: list[WritableTxnMarkerResult]


@struct
class WritableTxnMarkerResult:
    producer_id: int64
    topics: list[WritableTxnMarkerTopicResult]


@struct
class WritableTxnMarkerTopicResult:
    name: string
    partitions: list[WritableTxnMarkerPartitionResult]


@struct
class WritableTxnMarkerPartitionResult:
    partition_index: int32
    error_code: int16 = 0
