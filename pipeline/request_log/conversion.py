"""Converts lines of Kafka's request log to the JSON of wait records.

`kafka.request.logger` writes a line for each request, after the prefix of the log's layout:

    [2026-11-21 09:00:00,338] DEBUG Completed request:{"requestHeader":...} (kafka.request.logger)

docs/reference/request-log.md has the meaning of each field.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from pipeline.request_log.fields import (
    API,
    LINE_DDL,
    REQUEST_DDL,
    RESPONSE_DDL,
    TOPICS_DDL,
    microseconds,
)
from pipeline.request_log.partitions import ASKED, PARTITIONS, RESULTS

MARK = "Completed request:"
REMOTE = "Remote"  # the purgatory of requests that another thread completes

STAMP = "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}([.,][0-9]+)? ?(Z|[+-][0-9]{2}:?[0-9]{2})?"
OFFSET = ":[0-9]{2}([.][0-9]+)? ?(Z|[+-][0-9]{2}:?[0-9]{2})$"
# HOST:PORT-HOST:PORT-PROCESSOR-INDEX, or without the processor.
CLIENT_PORT = ":([0-9]+)-[0-9-]+$"
OUR_NODE = "^node-([0-9]+):"  # `serve --request-log` writes it in place of the broker's host

_NO_STRING, _NO_INT, _NO_LONG = (f"cast(null as {name})" for name in ("string", "int", "bigint"))
_FAILED = "(coalesce(response.errorCode, 0) != 0 or exists(partitions, p -> p.error != 0))"
_BYTES = "aggregate(partitions, 0L, (sum, p) -> sum + coalesce(p.bytes, 0L))"
_ONLY_PARTITION = "if(size(partitions) = 1, partitions[0], null)"

# Columns that later ones use, in this order.
_STEPS = {
    "asked": ASKED,
    "results": RESULTS,
    "partitions": PARTITIONS,
    "parked_us": microseconds("remoteTime"),
    "purgatory": f"""case when parked_us > 0 then case
        when api in ('Produce', 'Fetch', 'DeleteRecords') then api
        when api in ('JoinGroup', 'SyncGroup') then 'Rebalance'
        when api = 'ElectLeaders' then 'ElectLeader'
        else '{REMOTE}' end end""",
    "send_us": f"{microseconds('responseQueueTime')} + {microseconds('sendTime')}",
    "total_us": f"""{microseconds("requestQueueTime")} + {microseconds("localTime")}
        + parked_us + send_us""",
    "stamp": f"replace(regexp_substr(substring_index(raw, '{MARK}', 1), '{STAMP}'), ',', '.')",
}
# The condition as far as the request has it: the log has no state of the partitions.
_WAITED_FOR = f"""case purgatory
    when 'Fetch' then named_struct('kind', 'min_bytes', 'topic', {_NO_STRING},
        'partition', {_NO_INT}, 'need', request.minBytes)
    when 'Produce' then named_struct('kind', 'high_watermark', 'topic', {_ONLY_PARTITION}.topic,
        'partition', {_ONLY_PARTITION}.partition, 'need', {_NO_LONG})
    when 'Rebalance' then named_struct('kind', 'members', 'topic', {_NO_STRING},
        'partition', {_NO_INT}, 'need', {_NO_LONG}) end"""
# A fetch may wait from the beginning of its local time on. Kafka counts whole milliseconds, so a
# wait may end up to one too early.
_TOOK_MAX_WAIT = f"{microseconds('localTime')} + parked_us > (request.maxWaitMs - 1) * 1000"
# The cause where times and errors imply it, else null: the log has none.
_CAUSE = f"""case
    when purgatory is null then if({_FAILED}, 'error', 'arrival')
    when purgatory = 'Produce' and exists(partitions, p -> p.error = 7) then 'timeout'
    when purgatory = 'Produce' and not {_FAILED} then 'high_watermark'
    when purgatory = 'Fetch' and not {_FAILED} and {_TOOK_MAX_WAIT}
        and {_BYTES} < request.minBytes then 'timeout' end"""
_RECORD = {
    "schema": "1",
    "node": f"cast(nullif(regexp_extract(line.connection, '{OUR_NODE}', 1), '') as int)",
    "connection": f"""cast(nullif(regexp_extract(line.connection, '{CLIENT_PORT}', 1), '')
        as bigint)""",
    "client_id": "line.requestHeader.clientId",
    "principal": "line.principal",
    "listener": "line.listener",
    "correlation_id": "line.requestHeader.correlationId",
    "api": "api",
    "version": "line.requestHeader.requestApiVersion",
    "queued_us": microseconds("requestQueueTime"),
    "local_us": microseconds("localTime"),
    "parked_us": "parked_us",
    "send_us": "send_us",
    "total_us": "total_us",
    "purgatory": "purgatory",
    "waited_for": _WAITED_FOR,
    "timeout_ms": "if(api = 'Fetch', request.maxWaitMs, request.timeoutMs)",
    "completed_by": f"named_struct('cause', {_CAUSE})",
    "throttle": """if(coalesce(line.throttleTimeMs, line.throttleTime) > 0,
        named_struct('ms', coalesce(line.throttleTimeMs, line.throttleTime)), null)""",
    "partitions": "partitions",
    "error": "coalesce(response.errorCode, 0)",
    "topic_ids": "filter(described.topics, t -> t.name is not null and t.topicId is not null)",
}


def with_request_logs(lines: DataFrame, time_zone: str) -> DataFrame:
    """Return *lines* (texts in ``value``) as ``raw``, the same text, and ``value``.

    ``value`` is the JSON of a wait record where the text is a line of a request log, else the text.
    Times of the log without an offset are in *time_zone*. A line that is cut off is not converted.
    """
    raw = lines.select(sf.col("value").cast("string").alias("raw"))
    is_line = f"raw is not null and not startswith(raw, '{{') and contains(raw, '{MARK}')"
    text = f"if({is_line}, ltrim(substring_index(raw, '{MARK}', -1)), null)"
    converted = raw.withColumn("line", sf.from_json(sf.expr(text), LINE_DDL))
    converted = converted.withColumn("api", sf.expr(API))
    for name, ddl, apis in (
        ("request", REQUEST_DDL, "'Produce', 'Fetch'"),
        ("response", RESPONSE_DDL, "api"),
        ("described", TOPICS_DDL, "'Metadata', 'CreateTopics'"),
    ):
        field = "request" if name == "request" else "response"
        part = sf.expr(f"if(api in ({apis}), line.{field}, null)")
        converted = converted.withColumn(name, sf.from_json(part, ddl))
    for name, step in _STEPS.items():
        converted = converted.withColumn(name, sf.expr(step))
    fields = [sf.expr(value).alias(name) for name, value in _RECORD.items()]
    record = sf.to_json(sf.struct(*fields, _arrived(time_zone).alias("arrived_us")))
    is_whole = "line.requestHeader is not null and total_us is not null"
    return converted.select(
        "raw", sf.coalesce(sf.when(sf.expr(is_whole), record), "raw").alias("value")
    )


def _arrived(time_zone: str) -> Column:
    """The time of arrival: a line is written when its response has been sent."""
    moment = sf.col("stamp").try_cast("timestamp")
    written = sf.when(sf.rlike("stamp", sf.lit(OFFSET)), moment).otherwise(
        sf.to_utc_timestamp(moment, time_zone)
    )
    return sf.unix_micros(written) - sf.col("total_us")
