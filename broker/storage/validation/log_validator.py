"""What a leader checks in a batch and writes into it (Kafka's ``LogValidator``).

`validate` depends only on the batch and the log's configuration, so it may run in a worker thread;
`assign` writes the batch's place in the log. A valid batch is changed in place: base offset and
leader epoch, which the checksum does not cover, and timestamp type and maximum timestamp only if
they differ. The records are encoded again only if the topic has another compression type
(`broker.storage.validation.rebuilt_batch`).
"""

from __future__ import annotations

from typing import Final

from broker.common.topic_partition import TopicPartition
from broker.steps.offload import Outcome
from broker.storage.log_config import TARGET_CODECS, LogConfig
from broker.storage.validation.append import (
    AppendOrigin,
    AppendRefused,
    ReceivedBatch,
    only_batch,
    received,
    shorter_than_header,
)
from broker.storage.validation.loop_budget import Budget
from broker.storage.validation.rebuilt_batch import rebuilt
from broker.storage.validation.record_errors import check_each_record
from protocol.compression import (
    ZSTD_BYTES_MAX,
    Codec,
    decompress,
    decompressed_slices,
    slices,
)
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from protocol.record_batch.batch import plain_block
from protocol.record_batch.header import (
    CODEC_MASK,
    CONTROL_BIT,
    HEADER_BYTES,
    NO_TIMESTAMP,
    TIMESTAMP_TYPE_BIT,
    BatchHeader,
    check_crc,
    read_header,
)
from protocol.record_batch.numbers import InvalidRecord, int64
from protocol.record_batch.patch import (
    set_base_offset_and_epoch,
    set_timestamp_and_seal,
)
from protocol.record_batch.peek import batch_size_at
from protocol.record_batch.scan import RecordsSummary, are_large, summarise, summarise_pieces

_LAST_CODEC: Final[int] = Codec.ZSTD.value


class ValidBatch:
    """A batch with valid records and without a place in the log.

    ``sealed``: records and checksum are those that the producer sent.
    """

    __slots__ = ("batch", "config", "header", "max_timestamp_delta", "sealed")

    def __init__(
        self,
        header: BatchHeader,
        batch: memoryview,
        max_timestamp_delta: int,
        sealed: bool,
        config: LogConfig,
    ) -> None:
        self.header = header
        self.batch = batch
        self.max_timestamp_delta = max_timestamp_delta
        self.sealed = sealed
        self.config = config


# A batch, as it was received or with its header decoded, or the outcome of its validation.
Appendable = memoryview | ReceivedBatch | Outcome[ValidBatch]


def validated(
    records: Appendable,
    produce_version: int,
    origin: AppendOrigin,
    topic_partition: TopicPartition,
    config: LogConfig,
    now_ms: int,
) -> ValidBatch:
    """The outcome of the validation, which is done here if *records* is a batch as received."""
    if isinstance(records, Outcome):
        return records.result()
    if isinstance(records, memoryview):
        records = received(records)
    header, batch = only_batch(records, produce_version)
    return validate(header, batch, origin, topic_partition, config, now_ms)


def validate(
    header: BatchHeader,
    batch: memoryview,
    origin: AppendOrigin,
    topic_partition: TopicPartition,
    config: LogConfig,
    now_ms: int,
    budget: Budget | None = None,
) -> ValidBatch:
    """Check a batch and its records, and rebuild it if the log's configuration requires that.

    Raises `AppendRefused`, and `ExceedsBudget` as soon as the records exceed *budget*.
    """
    _check_batch(header, batch, origin, config)
    if origin is AppendOrigin.CLIENT:
        _check_client_header(header)
    codec = header.attributes & CODEC_MASK
    block = batch[HEADER_BYTES:]
    try:
        summary = _summary(codec, block, header.records_count, budget)
    except InvalidRecord as error:
        raise AppendRefused(ErrorCode.INVALID_RECORD, str(error)) from None
    except CorruptRecords as corrupt:
        raise _undecodable(corrupt) from None
    _check_records(header, batch, summary, topic_partition, config, now_ms)
    target = TARGET_CODECS[config.compression_type]
    sealed = target is None or target == codec
    if sealed and codec and not summary.offsets_consecutive:
        raise _renumbered_with_the_same_codec()
    latest_delta = summary.max_timestamp_delta
    if target is not None and not sealed and not header.attributes & CONTROL_BIT:
        latest_delta += header.base_timestamp
        header, batch = rebuilt(header, _plain(header, batch), summary, target, config)
        latest_delta -= header.base_timestamp
        if len(batch) > config.max_message_bytes:
            raise too_large(len(batch), config)
    return ValidBatch(header, batch, latest_delta, sealed, config)


def _check_batch(
    header: BatchHeader, batch: memoryview, origin: AppendOrigin, config: LogConfig
) -> None:
    """Check base offset, size, checksum and codec, for which the records are not needed."""
    if origin is AppendOrigin.CLIENT and header.base_offset:
        raise AppendRefused(
            ErrorCode.INVALID_RECORD,
            f"the base offset of a batch from a client is 0, not {header.base_offset}",
        )
    if len(batch) > config.max_message_bytes:
        raise too_large(len(batch), config)
    if not check_crc(batch, header):
        raise wrong_checksum()
    if header.attributes & CODEC_MASK > _LAST_CODEC:
        # Not UNSUPPORTED_COMPRESSION_TYPE: in Kafka the lookup of the codec fails unexpectedly.
        raise AppendRefused(ErrorCode.UNKNOWN_SERVER_ERROR, "a batch claims an unknown codec")


def _summary(codec: int, block: memoryview, count: int, budget: Budget | None) -> RecordsSummary:
    if budget is not None:
        return budget.summarise(codec, block, count)
    if not codec:
        return summarise(block, count)
    if codec == Codec.ZSTD:
        block = memoryview(decompress(codec, block, ZSTD_BYTES_MAX))
        if are_large(block, count):
            return summarise(block, count)
        return summarise_pieces(slices(block), count)
    return summarise_pieces(decompressed_slices(codec, block), count)


def _plain(header: BatchHeader, batch: memoryview) -> memoryview:
    """The decompressed records of a batch; needed only to refuse or rebuild it."""
    try:
        return plain_block(header, batch)
    except CorruptRecords as error:
        raise _undecodable(error) from None


def _undecodable(error: CorruptRecords) -> AppendRefused:
    # Not INVALID_RECORD: in Kafka the exception of the decompressor is an unexpected one.
    return AppendRefused(ErrorCode.UNKNOWN_SERVER_ERROR, str(error))


def _renumbered_with_the_same_codec() -> AppendRefused:
    # Not INVALID_RECORD: Kafka reads such a batch without keys and values, because it expects not
    # to encode it, and fails unexpectedly when the offsets require that.
    return AppendRefused(
        ErrorCode.UNKNOWN_SERVER_ERROR, "the offsets in a compressed batch are not consecutive"
    )


def wrong_checksum() -> AppendRefused:
    """The refusal of a batch whose checksum is not that of its bytes."""
    return AppendRefused(ErrorCode.CORRUPT_MESSAGE, "the checksum of a batch is wrong")


def check_replicated(records: memoryview, next_offset: int, leader_epoch: int) -> list[BatchHeader]:
    """The headers of the batches that a follower may write unchanged.

    These are the complete ones before the first from an epoch above *leader_epoch* (KAFKA-18723).
    Raises `AppendRefused` for one that is corrupt or does not follow *next_offset*.
    """
    headers: list[BatchHeader] = []
    position = 0
    while (size := _size_at(records, position)) is not None:
        batch = records[position : position + size]
        if size < HEADER_BYTES:
            raise shorter_than_header()
        header = read_header(batch)
        if header.partition_leader_epoch > leader_epoch:
            break
        if not check_crc(batch, header):
            raise wrong_checksum()
        if header.base_offset < next_offset or header.last_offset_delta < 0:
            raise AppendRefused(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                f"a batch begins at {header.base_offset}, where {next_offset} is next",
            )
        next_offset = header.next_offset
        headers.append(header)
        position += size
    return headers


def _size_at(records: memoryview, position: int) -> int | None:
    try:
        return batch_size_at(records, position)
    except CorruptRecords as error:
        raise AppendRefused(ErrorCode.CORRUPT_MESSAGE, str(error)) from None


def too_large(size: int, config: LogConfig) -> AppendRefused:
    """The refusal of a batch beyond ``max.message.bytes``."""
    return AppendRefused(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"a batch of {size} bytes exceeds max.message.bytes, {config.max_message_bytes}",
    )


def _check_client_header(header: BatchHeader) -> None:
    """Check the header fields that only a client may send wrong."""
    count, last_delta = header.records_count, header.last_offset_delta
    if last_delta < 0 or count != last_delta + 1:
        raise AppendRefused(
            ErrorCode.INVALID_RECORD,
            f"a batch claims {count} records in a range of {last_delta + 1} offsets",
        )
    if header.attributes & CONTROL_BIT:
        raise AppendRefused(ErrorCode.INVALID_RECORD, "a control batch from a client")
    if header.producer_id >= 0 and header.base_sequence < 0:
        raise AppendRefused(
            ErrorCode.INVALID_RECORD,
            f"producer {header.producer_id} sent the sequence number {header.base_sequence}",
        )


def _check_records(
    header: BatchHeader,
    batch: memoryview,
    summary: RecordsSummary,
    topic_partition: TopicPartition,
    config: LogConfig,
    now_ms: int,
) -> None:
    """Refuse records without a key in a compacted topic, and timestamps out of range."""
    earliest = now_ms - config.message_timestamp_before_max_ms
    latest = now_ms + config.message_timestamp_after_max_ms
    base = header.base_timestamp
    if (
        (summary.has_null_key and config.is_compacted)
        or header.attributes & TIMESTAMP_TYPE_BIT
        or not (
            earliest <= base + summary.min_timestamp_delta
            and base + summary.max_timestamp_delta <= latest
        )
    ):
        check_each_record(header, _plain(header, batch), topic_partition, config, now_ms)


def assign(
    valid: ValidBatch, next_offset: int, leader_epoch: int, now_ms: int
) -> tuple[memoryview, int]:
    """Write the offset of the first record, the leader epoch and timestamps into the batch.

    Returns the batch, which must be writable, and its maximum timestamp. Raises `AppendRefused` for
    a batch that fits into no segment.
    """
    header, batch, config = valid.header, valid.batch, valid.config
    if len(batch) > config.segment_bytes:
        raise AppendRefused(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"a batch of {len(batch)} bytes exceeds segment.bytes, {config.segment_bytes}",
        )
    set_base_offset_and_epoch(batch, next_offset, header.batch_length, leader_epoch)
    attributes = header.attributes
    if config.uses_log_append_time:
        max_timestamp = now_ms
        attributes |= TIMESTAMP_TYPE_BIT
    elif attributes & TIMESTAMP_TYPE_BIT:
        max_timestamp = header.max_timestamp  # until now the timestamp of every record
        attributes &= ~TIMESTAMP_TYPE_BIT
    else:
        latest = int64(header.base_timestamp + valid.max_timestamp_delta)
        max_timestamp = max(NO_TIMESTAMP, latest)
    if not valid.sealed or max_timestamp != header.max_timestamp or attributes != header.attributes:
        set_timestamp_and_seal(batch, attributes, max_timestamp)
    return batch, max_timestamp
