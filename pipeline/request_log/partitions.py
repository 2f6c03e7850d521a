"""The partitions of Produce and Fetch requests in a request log, as Spark expressions.

`ASKED` are those of the request, `RESULTS` those of the response. An incremental fetch has only
partitions that have changed, in its request and in its response, so `PARTITIONS` has those of both.
"""

from __future__ import annotations

_TOPIC = "coalesce(t.name, t.topic, t.topicId)"
_ASKED_FOR = f"filter(asked, a -> a.topic = {_TOPIC} and a.partition = {{0}})[0]"


def _places(
    topics: str,
    partitions: str,
    number: str,
    *,
    topic: str = _TOPIC,
    offset: str = "-1L",
    size: str = "0L",
    error: str = "0",
    high_watermark: str = "cast(null as bigint)",
) -> str:
    """The partitions of *topics* as an array; null without topics."""
    return f"""flatten(transform({topics}, t -> transform(t.{partitions}, p -> named_struct(
        'topic', {topic}, 'partition', p.{number}, 'offset', {offset}, 'bytes', {size},
        'error', {error}, 'high_watermark', {high_watermark}))))"""


ASKED = f"""case api
    when 'Produce' then {
    _places(
        "request.topicData",
        "partitionData",
        "index",
        topic="coalesce(t.name, t.topicId)",
        size="p.recordsSizeInBytes",
    )
}
    when 'Fetch' then {
    _places(
        "request.topics",
        "partitions",
        "partition",
        topic="coalesce(t.topic, t.topicId)",
        offset="p.fetchOffset",
    )
} end"""

_APPENDED = _places(
    "response.responses",
    "partitionResponses",
    "index",
    offset="p.baseOffset",
    size=f"{_ASKED_FOR.format('p.index')}.bytes",
    error="p.errorCode",
)
_READ = _places(
    "response.responses",
    "partitions",
    "partitionIndex",
    offset=f"{_ASKED_FOR.format('p.partitionIndex')}.offset",
    size="p.recordsSizeInBytes",
    error="p.errorCode",
    high_watermark="p.highWatermark",
)
_READ_BY_2_8 = _places(
    "response.responses",
    "partitionResponses",
    "partition",
    offset=f"{_ASKED_FOR.format('p.partition')}.offset",
    size="p.recordSetSizeInBytes",
    error="p.errorCode",
    high_watermark="p.highWatermark",
)
RESULTS = f"""case api
    when 'Produce' then {_APPENDED}
    when 'Fetch' then if(exists(response.responses, t -> t.partitionResponses is not null),
        {_READ_BY_2_8}, {_READ}) end"""

PARTITIONS = """concat(coalesce(results, array()), filter(coalesce(asked, array()),
    a -> not exists(coalesce(results, array()),
                    r -> r.topic = a.topic and r.partition = a.partition)))"""
