"""What the disk did within a block, in the protocol's words.

What the disk refuses takes it offline and is KAFKA_STORAGE_ERROR, then and from then on; batches
that are not what they were written as are CORRUPT_MESSAGE, and the disk may go on (Kafka's
``maybeHandleIOException`` and ``CorruptRecordException``).
"""

from __future__ import annotations

import logging
from types import TracebackType

from broker.common.errors import ApiError
from broker.storage.disk import Disk
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode

logger = logging.getLogger(__name__)


class StorageErrors:
    """A block, to be entered as often as one likes, in which *about* uses *disk*.

    Raises `ApiError` KAFKA_STORAGE_ERROR or CORRUPT_MESSAGE; other errors propagate.
    """

    __slots__ = ("_about", "_disk")

    def __init__(self, about: object, disk: Disk) -> None:
        self._about = about
        self._disk = disk

    def __enter__(self) -> None:
        if self._disk.failure is not None:
            raise self.offline(self._disk.failure)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            self._disk.fail(self._about, error)
            raise self.offline(error) from error
        if isinstance(error, CorruptRecords):
            logger.error("%s: %s", self._about, error)
            text = f"{self._about}: {error}"
            raise ApiError(ErrorCode.CORRUPT_MESSAGE, text) from error

    def offline(self, reason: OSError) -> ApiError:
        """The error of every use after a failure, or of one that found no descriptor."""
        failed = self._disk.failure is not None
        trouble = "its data directory is offline: " if failed else ""
        text = f"{self._about}: {trouble}{reason.strerror}"
        return ApiError(ErrorCode.KAFKA_STORAGE_ERROR, text)
