"""Adds to each wait the sentences of `antechamber explain`.

Python makes the sentences, in the driver: Spark's expressions could only repeat the wording, and
workers do not have this package. So it is for tables with a limited number of rows.
"""

from __future__ import annotations

import json

from pyspark.sql import DataFrame, SparkSession

from antechamber.explain import explanation

RECORD = "record"  # the column with the JSON of the wait record
EXPLANATION = "explanation"


def explained(spark: SparkSession, waits: DataFrame) -> DataFrame:
    """Return *waits*, collected, with ``explanation`` in place of ``record``."""
    rows = waits.collect()
    kept = [name for name in waits.columns if name != RECORD]
    found = [
        (*(row[name] for name in kept), " ".join(explanation(json.loads(row[RECORD]))))
        for row in rows
    ]
    schema = waits.select(*kept).schema.add(EXPLANATION, "string")
    return spark.createDataFrame(found, schema)
