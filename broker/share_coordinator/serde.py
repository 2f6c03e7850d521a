"""The records of ``__share_group_state`` as bytes (Kafka's ``ShareCoordinatorRecordSerde``)."""

from __future__ import annotations

from typing import Final

from broker.coordinators.coordinator_record import CoordinatorRecordSerde
from broker.share_coordinator.records import (
    ShareSnapshotKey,
    ShareSnapshotValue,
    ShareUpdateKey,
    ShareUpdateValue,
)

SHARE_STATE_RECORDS: Final = CoordinatorRecordSerde(
    [(ShareSnapshotKey, ShareSnapshotValue), (ShareUpdateKey, ShareUpdateValue)],
    lambda _value: 0,
)
