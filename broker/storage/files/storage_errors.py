"""Translates exceptions of the disk into errors of the protocol.

OSError takes the data directory offline, and is KAFKA_STORAGE_ERROR then and on every later use;
damaged batches are CORRUPT_MESSAGE, and the directory stays online (Kafka's
``LocalLog.maybeHandleIOException`` and ``CorruptRecordException``).
"""

from __future__ import annotations

import logging
from types import TracebackType

from broker.common.errors import ApiError
from broker.storage.files.disk import Disk
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from protocol.output import SpliceLost

logger = logging.getLogger(__name__)


class OffsetOutOfRange(Exception):  # noqa: N818 - Kafka's name for it
    """An offset outside [log start, log end], or one to delete to above the high watermark."""


class StorageErrors:
    """A reusable context manager for the use of *disk* by *about*, which messages name.

    Raises `ApiError` KAFKA_STORAGE_ERROR or CORRUPT_MESSAGE; other exceptions propagate.
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
        if error is None:
            return
        if isinstance(error, OSError):
            self._disk.fail(self._about, error)
            raise self.offline(error) from error
        if isinstance(error, SpliceLost):
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, f"{self._about}: {error}") from error
        if isinstance(error, CorruptRecords):
            logger.error("%s: %s", self._about, error)
            text = f"{self._about}: {error}"
            raise ApiError(ErrorCode.CORRUPT_MESSAGE, text) from error

    def offline(self, reason: OSError) -> ApiError:
        """The error of every use after a failure, or of one that ran out of file descriptors."""
        failed = self._disk.failure is not None
        prefix = "its data directory is offline: " if failed else ""
        text = f"{self._about}: {prefix}{reason.strerror}"
        return ApiError(ErrorCode.KAFKA_STORAGE_ERROR, text)
