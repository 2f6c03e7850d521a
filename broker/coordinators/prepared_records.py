"""Records that are encoded before they are appended (from Kafka's ``CoordinatorRuntime.append``).

To encode a record takes much longer than to append it, and needs no state of the coordinator. So
many records are encoded in slices, and then appended in one step with the change of the state:

    prepare --add_in_slices, other tasks in between--> check the state, append, apply
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import (
    CoordinatorRecord,
    CoordinatorRecordSerde,
    RawRecord,
)
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from protocol.codec import Unencodable
from protocol.errors import ErrorCode
from protocol.record_batch.block import RecordBlock


class PreparedRecords:
    """The encoded records of a batch of up to *bytes_max* bytes.

    Records that no batch can contain have an error, which is raised when they are appended. No
    record after them is encoded.
    """

    __slots__ = ("_block", "_bytes_max", "_error", "_serde")

    def __init__(
        self, serde: CoordinatorRecordSerde, bytes_max: int, error: ApiError | None = None
    ) -> None:
        self._serde = serde
        self._bytes_max = bytes_max
        self._block = RecordBlock()
        self._error = error

    def add(self, records: Iterable[CoordinatorRecord | RawRecord]) -> None:
        """Encode *records* and add them."""
        if self._error is not None:
            return
        block, serialize = self._block, self._serde.serialize
        try:
            for each in records:
                raw = each if isinstance(each, RawRecord) else serialize(each)
                block.add(raw.key, raw.value)
                if block.size > self._bytes_max:
                    self._error = self._too_large()
                    return
        except Unencodable as error:
            # Kafka cannot write such a record either.
            self._error = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error))

    def add_in_slices(self, records: Iterable[CoordinatorRecord | RawRecord]) -> Slices[None]:
        """Encode *records* and add them; other tasks may run in between."""
        for piece in pieces(records):
            if self._error is not None:
                return
            self.add(piece)
            yield None

    def checked(self) -> RecordBlock:
        """The records; raises their error, an `ApiError`."""
        if self._error is not None:
            raise self._error
        return self._block

    def _too_large(self) -> ApiError:
        return ApiError(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"a batch of more than {self._bytes_max} bytes exceeds max.message.bytes",
        )
