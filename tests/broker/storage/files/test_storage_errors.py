"""Tests of errors of the disk: `broker.storage.files.storage_errors`."""

from __future__ import annotations

import errno

import pytest

from broker.common.errors import ApiError
from broker.storage.files.disk import Disk
from broker.storage.files.storage_errors import StorageErrors
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode


def test_an_os_error_takes_the_disk_offline(caplog: pytest.LogCaptureFixture) -> None:
    """It is KAFKA_STORAGE_ERROR with the reason, and the next block is not entered."""
    disk = Disk()
    storage = StorageErrors("orders-0", disk)
    with pytest.raises(ApiError) as refused, storage:
        raise OSError(5, "Input/output error", "0.log")
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    assert disk.failure is not None
    assert "orders-0: [Errno 5] Input/output error: '0.log'" in caplog.text
    with pytest.raises(ApiError, match="orders-0: its data directory is offline") as again, storage:
        raise AssertionError
    assert again.value.code is ErrorCode.KAFKA_STORAGE_ERROR


def test_too_many_open_files_leave_the_disk_online() -> None:
    """The use fails with the same error code; the next one need not."""
    disk = Disk()
    storage = StorageErrors("orders-0", disk)
    with pytest.raises(ApiError, match="orders-0: Too many open files") as refused, storage:
        raise OSError(errno.EMFILE, "Too many open files")
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    with storage:
        assert disk.failure is None


def test_corrupt_batches_leave_the_disk_online(caplog: pytest.LogCaptureFixture) -> None:
    """Other batches may be valid."""
    disk = Disk()
    with pytest.raises(ApiError) as refused, StorageErrors("orders-0", disk):
        raise CorruptRecords("0.log: there is no batch at position 7")
    assert refused.value.code is ErrorCode.CORRUPT_MESSAGE
    assert disk.failure is None
    assert "there is no batch at position 7" in caplog.text


def test_other_exceptions_propagate() -> None:
    """They are bugs."""
    with pytest.raises(KeyError), StorageErrors("orders-0", Disk()):
        raise KeyError
