"""Long traces in one line."""

from __future__ import annotations

from pipeline.errors import in_one_line

TRACE = """An error occurred while calling o81.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure
\tat org.apache.spark.Some.method(Some.scala:1)
Caused by: java.io.EOFException: Unexpected end of input stream
\tat java.base/java.io.Other.method(Other.java:2)
"""


def told(error: Exception) -> str:
    """The line about an error while reading a topic."""
    return in_one_line(error, "kafka://h:1/t", "out")


def test_the_innermost_cause_is_told() -> None:
    """That is mostly what went wrong."""
    line = told(RuntimeError(TRACE))

    assert line == (
        "Spark failed: EOFException: Unexpected end of input stream;"
        " --verbose shows Spark's own log"
    )


def test_a_full_disk_is_told_as_such() -> None:
    """With the folder, and that nothing was lost."""
    line = told(RuntimeError(TRACE + "java.io.IOException: No space left on device"))

    assert line == "--out out: no space left on device; tables written before are untouched"


def test_a_topic_that_is_not_there_is_named() -> None:
    """Kafka's own words do not say which."""
    trace = TRACE + "Caused by: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: x"

    assert told(RuntimeError(trace)) == "kafka://h:1/t: no such topic"


def test_without_a_trace_it_is_the_first_line() -> None:
    """As of errors that Spark finds before it starts; an endless one is cut."""
    line = told(ValueError("[PATH_NOT_FOUND] no such path\nmore"))

    assert line.startswith("Spark failed: [PATH_NOT_FOUND] no such path; ")
    assert len(told(ValueError("x" * 9_000))) < 400
    assert told(ValueError()).startswith("Spark failed: ValueError; ")
