"""The error messages made from Spark's traces."""

from __future__ import annotations

from pipeline.errors import in_one_line

TRACE = """An error occurred while calling o81.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure
\tat org.apache.spark.Some.method(Some.scala:1)
Caused by: java.io.EOFException: Unexpected end of input stream
\tat java.base/java.io.Other.method(Other.java:2)
"""


def message_of(error: Exception) -> str:
    """The message for an error while reading a topic."""
    return in_one_line(error, "kafka://h:1/t", "out")


def test_the_innermost_cause_is_named() -> None:
    """The last cause of a trace is in the message."""
    line = message_of(RuntimeError(TRACE))

    assert line == (
        "Spark failed: EOFException: Unexpected end of input stream;"
        " --verbose shows Spark's own log"
    )


def test_a_trace_without_a_cause() -> None:
    """Its exception is in the second line."""
    trace = (
        "An error occurred while calling o35.globStatus.\n"
        ': org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "foo"\n'
        "\tat org.apache.hadoop.Some.method(Some.java:1)\n"
    )

    assert message_of(RuntimeError(trace)) == (
        'Spark failed: UnsupportedFileSystemException: No FileSystem for scheme "foo";'
        " --verbose shows Spark's own log"
    )


def test_a_full_disk() -> None:
    """The message names the folder, and says that earlier tables are unchanged."""
    line = message_of(RuntimeError(TRACE + "java.io.IOException: No space left on device"))

    assert line == "--out out: no space left on device; tables written before are unchanged"


def test_an_unknown_topic() -> None:
    """The message names the topic, which Kafka's message does not."""
    trace = TRACE + "Caused by: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: x"

    assert message_of(RuntimeError(trace)) == "kafka://h:1/t: no such topic"


def test_an_error_without_a_trace() -> None:
    """The message is the first line of the error, shortened if it is long."""
    line = message_of(ValueError("[PATH_NOT_FOUND] no such path\nmore"))

    assert line.startswith("Spark failed: [PATH_NOT_FOUND] no such path; ")
    assert len(message_of(ValueError("x" * 9_000))) < 400
    assert message_of(ValueError()).startswith("Spark failed: ValueError; ")
