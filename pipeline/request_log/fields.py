"""The fields of a line of Kafka's request log that become fields of a wait record.

The names are those of `RequestConvertToJson` and of Kafka's message schemas. A field that a version
of Kafka does not write is null. Request and response are texts first, because the same name can
have another type in another API.
"""

from __future__ import annotations

# The first version of the log named times without units, and APIs in `requestApiKey`.
_TIMES = ("requestQueueTime", "localTime", "remoteTime", "responseQueueTime", "sendTime")
LINE_DDL = f"""
    requestHeader STRUCT<requestApiKeyName: STRING, requestApiKey: STRING, requestApiVersion: INT,
                         correlationId: INT, clientId: STRING>,
    request STRING, response STRING, connection STRING, principal STRING, listener STRING,
    throttleTimeMs BIGINT, throttleTime BIGINT,
    {", ".join(f"{name}Ms DOUBLE, {name} DOUBLE" for name in _TIMES)}
"""

# Of Produce and Fetch. Since version 13 they name topics by their ids.
REQUEST_DDL = """
    acks INT, timeoutMs BIGINT,
    topicData ARRAY<STRUCT<name: STRING, topicId: STRING,
        partitionData: ARRAY<STRUCT<index: INT, recordsSizeInBytes: BIGINT>>>>,
    maxWaitMs BIGINT, minBytes BIGINT,
    topics ARRAY<STRUCT<topic: STRING, topicId: STRING,
        partitions: ARRAY<STRUCT<partition: INT, fetchOffset: BIGINT>>>>
"""

# Kafka 2.8 names the partitions of a Fetch response as those of a Produce response.
RESPONSE_DDL = """
    errorCode INT,
    responses ARRAY<STRUCT<name: STRING, topic: STRING, topicId: STRING,
        partitionResponses: ARRAY<STRUCT<index: INT, partition: INT, errorCode: INT,
            baseOffset: BIGINT, highWatermark: BIGINT, recordSetSizeInBytes: BIGINT>>,
        partitions: ARRAY<STRUCT<partitionIndex: INT, errorCode: INT, highWatermark: BIGINT,
                                 recordsSizeInBytes: BIGINT>>>>
"""

# Of Metadata and CreateTopics.
TOPICS_DDL = "topics ARRAY<STRUCT<name: STRING, topicId: STRING>>"

_KEY_NAME = "coalesce(line.requestHeader.requestApiKeyName, line.requestHeader.requestApiKey)"
# INIT_PRODUCER_ID is InitProducerId.
API = f"replace(initcap(replace({_KEY_NAME}, '_', ' ')), ' ', '')"


def microseconds(name: str) -> str:
    """A time of the line in microseconds; null if the line does not have it."""
    return f"cast(round(coalesce(line.{name}Ms, line.{name}) * 1000) as bigint)"
