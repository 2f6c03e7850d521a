"""Measures a followed topic: `python -m benchmarks.analysis_stream --rate 10000`.

A broker, a producer of ready records at a constant rate, and the pipeline that follows the topic
and updates the tables as `antechamber analyze --follow` does run on this machine at the same time.
The stream keeps up if it processes rows faster than they arrive and its lag does not grow from
batch to batch; both are printed from Spark's figures.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from itertools import islice
from typing import Any

from confluent_kafka import Producer

from antechamber import Cluster
from benchmarks.analysis import record_lines
from pipeline import stream
from pipeline.analysis import REFRESH_S
from pipeline.sources import TopicSource
from pipeline.spark.jars import KAFKA
from pipeline.spark.session import open_session

TOPIC = "records"
PARTITIONS = 3
WINDOW_S = 60
TICK_S = 0.05
WARM_UP_BATCHES = 2  # the first include compilation


def produce(bootstrap: str, lines: list[bytes], rate: int, over: threading.Event) -> None:
    """Append *rate* of *lines* a second, in small steps, until *over* is set or no line is left."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 20})
    started, sent = time.perf_counter(), 0
    while not over.wait(TICK_S) and sent < len(lines):
        due = int((time.perf_counter() - started) * rate)
        for line in lines[sent:due]:
            producer.produce(TOPIC, line)
        sent = min(due, len(lines))
        producer.poll(0)
    producer.flush(30)


def main() -> None:
    """Follow the topic for a while, and print every micro-batch."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.analysis_stream", description=__doc__
    )
    parser.add_argument("--rate", type=int, default=10_000, help="records a second")
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    lines = [line.encode() for line in record_lines(options.rate * options.seconds)]
    with (
        Cluster(topics=[f"{TOPIC}:{PARTITIONS}"]) as kafka,
        tempfile.TemporaryDirectory() as out,
    ):
        spark = open_session("local[2]", KAFKA.jars(), {}, verbose=False)
        source = TopicSource(kafka.bootstrap, TOPIC)
        query = stream.start(spark, source, out, WINDOW_S, follow=True)
        over = threading.Event()
        producing = threading.Thread(
            target=produce, args=(kafka.bootstrap, lines, options.rate, over)
        )
        producing.start()
        analysed = 0
        try:
            while producing.is_alive():
                producing.join(REFRESH_S)
                if stream.has_new(spark, out):
                    analysed += stream.publish(spark, out, WINDOW_S, print).rows
            query.processAllAvailable()
        finally:
            over.set()
            producing.join()
        progress = [each for each in query.recentProgress if each["numInputRows"]]
        analysed += stream.publish(spark, out, WINDOW_S, print).rows
        spark.stop()
    report(progress, len(lines), analysed)


def report(progress: Sequence[dict[str, Any]], produced: int, analysed: int) -> None:
    """Print a line for each batch, and the rate without the first batches."""
    print(f"{os.cpu_count()} cores; {produced:,} produced, {analysed:,} in the tables")
    print(f"{'batch':>5}  {'rows':>9}  {'seconds':>7}  {'rows/s in':>9}  {'rows/s done':>11}")
    for each in progress:
        seconds = each["batchDuration"] / 1000
        print(
            f"{each['batchId']:5}  {each['numInputRows']:9,}  {seconds:7.1f}"
            f"  {each['inputRowsPerSecond']:9,.0f}  {each['processedRowsPerSecond']:11,.0f}"
        )
    warm = list(islice(progress, WARM_UP_BATCHES, None))
    if warm:
        rows = sum(each["numInputRows"] for each in warm)
        seconds = sum(each["batchDuration"] for each in warm) / 1000
        print(f"warm: {rows / seconds:,.0f} rows/s while processing")


if __name__ == "__main__":
    main()
