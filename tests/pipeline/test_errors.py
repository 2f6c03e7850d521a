"""Long traces in one line."""

from __future__ import annotations

from pipeline.errors import in_one_line

TRACE = """An error occurred while calling o81.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure
\tat org.apache.spark.Some.method(Some.scala:1)
Caused by: java.io.EOFException: Unexpected end of input stream
\tat java.base/java.io.Other.method(Other.java:2)
"""


def test_the_innermost_cause_is_told() -> None:
    """That is mostly what went wrong."""
    told = in_one_line(RuntimeError(TRACE), "out")

    assert told == (
        "Spark failed: EOFException: Unexpected end of input stream;"
        " --verbose shows Spark's own log"
    )


def test_a_full_disk_is_told_as_such() -> None:
    """With the folder, and that nothing was lost."""
    told = in_one_line(RuntimeError(TRACE + "java.io.IOException: No space left on device"), "out")

    assert told == "--out out: no space left on device; tables written before are untouched"


def test_without_a_trace_it_is_the_first_line() -> None:
    """As of errors that Spark finds before it starts; an endless one is cut."""
    told = in_one_line(ValueError("[PATH_NOT_FOUND] no such path\nmore"), "out")

    assert told.startswith("Spark failed: [PATH_NOT_FOUND] no such path; ")
    assert len(in_one_line(ValueError("x" * 9_000), "out")) < 400
    assert in_one_line(ValueError(), "out").startswith("Spark failed: ValueError; ")
