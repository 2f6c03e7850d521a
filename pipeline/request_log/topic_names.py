"""Replaces topic ids by names: a request log has the names in responses that describe topics.

Produce and Fetch name topics by their ids since version 13. The names are collected from the
responses to Metadata and CreateTopics; a topic that no such response names keeps its id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

TOPIC_IDS = "topic_ids"  # the topics that the response of a row describes; null in wait records
TOPIC_IDS_DDL = f"{TOPIC_IDS} ARRAY<STRUCT<name: STRING, topicId: STRING>>"


def described(rows: DataFrame) -> DataFrame:
    """The topics that *rows* describe: ``name`` and ``topicId``."""
    topics = rows.where(f"size({TOPIC_IDS}) > 0").select(sf.explode(TOPIC_IDS).alias("topic"))
    return topics.select("topic.name", "topic.topicId").distinct()


def names_of(described: DataFrame) -> dict[str, str]:
    """The names of described topics by their ids."""
    return {topic_id: name for name, topic_id in described.collect()}


def with_names(rows: DataFrame, names: Mapping[str, str]) -> DataFrame:
    """Return *rows* with names in place of ids, also in what requests waited for."""
    if not names:
        return rows
    known = sf.from_json(sf.lit(json.dumps(names)), "MAP<STRING, STRING>")
    partitions = sf.transform(
        "partitions",
        lambda place: place.withField("topic", sf.coalesce(known[place["topic"]], place["topic"])),
    )
    topic = sf.col("waited_for.topic")
    waited_for = sf.col("waited_for").withField("topic", sf.coalesce(known[topic], topic))
    return rows.withColumns({"partitions": partitions, "waited_for": waited_for})
