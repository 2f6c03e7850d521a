"""Spark: a stream copies the records of a topic in several batches, from its checkpoint on."""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

bootstrap, jars, checkpoint = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.jars", ",".join(str(jar) for jar in Path(jars).glob("*.jar")))
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
numbers = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("subscribe", "in")
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 250)
    .load()
)
query = (
    numbers.select("key", "value")
    .writeStream.format("kafka")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("topic", "out")
    .option("checkpointLocation", checkpoint)
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
