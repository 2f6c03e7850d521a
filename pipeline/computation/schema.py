"""The fields of a wait record for Spark, and the check for rows that are not records.

Unknown fields are ignored and missing ones are null, so that records of older and newer writers can
be read together. ``schema`` changes only when a field changes its meaning.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from pipeline.request_log.conversion import MARK, with_request_logs
from pipeline.request_log.topic_names import TOPIC_IDS_DDL

SCHEMA = 1

_RULE_DDL = "rule: BIGINT, name: STRING, action: STRING"
_QUOTA_DDL = """quota: STRING, user: STRING, client_id: STRING, rate: DOUBLE, limit: DOUBLE,
    ms: BIGINT"""
_LOCK_DDL = "first_offset: BIGINT, last_offset: BIGINT, member: STRING, delivery_count: INT"
_WAITED_FOR_DDL = f"""kind: STRING, topic: STRING, partition: INT, need: BIGINT, had: BIGINT,
    behind: ARRAY<INT>, behind_at: ARRAY<BIGINT>, behind_states: ARRAY<STRING>, offset: BIGINT,
    node: INT, nodes: ARRAY<INT>,
    transactional_id: STRING, state: STRING, producer_epoch: INT,
    effect: STRING, rule: BIGINT, name: STRING, action: STRING,
    `group`: STRING, acquired: BIGINT, member: STRING, lock_expires_in_ms: BIGINT,
    available: BIGINT, full_window: STRING,
    locks: ARRAY<STRUCT<topic: STRING, partition: INT, {_LOCK_DDL}, lock_expires_in_ms: BIGINT>>,
    faults: ARRAY<STRUCT<{_RULE_DDL}>>,
    throttled: ARRAY<STRUCT<topic: STRING, partition: INT>>,
    transaction: STRUCT<transactional_id: STRING, producer_id: BIGINT, producer_epoch: INT,
                        state: STRING, outcome: STRING, held_ms: BIGINT>"""
_COMPLETED_BY_DDL = f"""cause: STRING, topic: STRING, partition: INT, offset: BIGINT, replica: INT,
    transaction: STRUCT<transactional_id: STRING, producer_id: BIGINT, outcome: STRING,
                        held_ms: BIGINT>,
    segment: BIGINT, lock: STRUCT<{_LOCK_DDL}>,
    request: STRUCT<api: STRING, client_id: STRING, correlation_id: INT>"""

# The fields in the order of the record; times in microseconds, `arrived_us` since the epoch.
RECORD_DDL = f"""
    schema INT,
    node INT, connection BIGINT, client_id STRING, principal STRING, listener STRING,
    correlation_id INT,
    api STRING, version INT,
    arrived_us BIGINT,
    queued_us BIGINT, local_us BIGINT, parked_us BIGINT, send_us BIGINT, total_us BIGINT,
    purgatory STRING,
    waited_for STRUCT<{_WAITED_FOR_DDL}>,
    timeout_ms BIGINT, checks INT,
    completed_by STRUCT<{_COMPLETED_BY_DDL}>,
    earlier_waits ARRAY<STRUCT<parked_us: BIGINT, purgatory: STRING,
                               waited_for: STRUCT<{_WAITED_FOR_DDL}>,
                               timeout_ms: BIGINT, checks: INT,
                               completed_by: STRUCT<{_COMPLETED_BY_DDL}>>>,
    stalled_by STRUCT<api: STRING, client_id: STRING, correlation_id: INT, ms: BIGINT>,
    throttle STRUCT<{_QUOTA_DDL}>,
    muted_by STRUCT<{_QUOTA_DDL}>,
    fault STRUCT<{_RULE_DDL}>,
    partitions ARRAY<STRUCT<topic: STRING, partition: INT, offset: BIGINT, records: BIGINT,
                            bytes: BIGINT, error: INT, high_watermark: BIGINT,
                            log_end_offset: BIGINT>>,
    error INT
"""
PHASES = ("queued", "local", "parked", "send", "total")
REQUIRED = ("api", "arrived_us", *(f"{phase}_us" for phase in PHASES))

# Of a line of a request log that is cut off, and of each such line where none is read.
NOT_READ = "not a complete line of a request log"
DEFECT = "defect"  # why a row is not a wait record; null in a valid row
RAW = "raw"  # the original row; null in a valid row

_CORRUPT = "_corrupt"
# The columns of `parsed`.
ROW_DDL = f"{RECORD_DDL}, {TOPIC_IDS_DDL}, {DEFECT} STRING, {RAW} STRING"
_PARSED_DDL = f"{RECORD_DDL}, {TOPIC_IDS_DDL}, {_CORRUPT} STRING"
_OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}


def parsed(lines: DataFrame, time_zone: str | None = None) -> DataFrame:
    """Return the records in *lines* (texts in a column ``value``), a column for each field.

    A text is the JSON of a record or, with *time_zone*, a line of a request log, whose times are in
    that zone. A row that is not a record has its text in ``raw`` and the reason in ``defect``.

    Lines of request logs take an expression that costs seconds until Java has compiled it, also if
    there are none. So they are read only if `NOT_READ` is the defect of a row without *time_zone*.
    """
    if time_zone is None:
        text = sf.col("value").cast("string")
        texts = lines.select(text.alias(RAW), text.alias("value"))
    else:
        texts = with_request_logs(lines, time_zone)
    rows = texts.select(RAW, sf.from_json("value", _PARSED_DDL, _OPTIONS).alias("record"))
    defect = _defect()
    return rows.select(
        "record.*", defect.alias(DEFECT), sf.when(defect.isNotNull(), sf.col(RAW)).alias(RAW)
    ).drop(_CORRUPT)


def _defect() -> Column:
    """The first reason why a row is not a record, or null."""
    schema = sf.col("record.schema")
    found = (
        sf.when(sf.col(RAW).isNull(), "no value")
        .when(sf.col("record.api").isNull() & sf.contains(RAW, sf.lit(MARK)), NOT_READ)
        .when(sf.col("record").isNull(), "not a JSON object")
        .when(sf.col(f"record.{_CORRUPT}").isNotNull(), "not a JSON object with these types")
        .when(schema.isNull(), "no schema number")
        .when(schema != SCHEMA, sf.concat(sf.lit("schema "), schema, sf.lit(f", not {SCHEMA}")))
    )
    for name in REQUIRED:
        found = found.when(sf.col(f"record.{name}").isNull(), f"no {name}")
        if name.endswith("_us"):
            found = found.when(sf.col(f"record.{name}") < 0, f"{name} is negative")
    return found
