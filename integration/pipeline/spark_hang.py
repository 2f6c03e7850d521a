"""Reports where Spark is when a test takes too long, and keeps later tests from failing with it.

    test --call--> Py4J's connection of this thread --> Java
      |                        |
      `-- its time is over     `-- the response arrives later, and the next call would read it

An exception that a signal raises during a call leaves the response of that call unread. Py4J closes
the connection for a KeyboardInterrupt, but not for that of a timeout.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

_DUMP_WITHIN_S = 60


@contextmanager
def stacks_after(spark: SparkSession, seconds: float) -> Iterator[None]:
    """Print the stacks of all Java threads if the context takes longer than *seconds*."""
    process_id = _java(spark).java.lang.ProcessHandle.current().pid()
    timer = threading.Timer(seconds, _print_stacks, (process_id,))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def close_connection(spark: SparkSession) -> None:
    """Close Py4J's connection of this thread; the next call opens another."""
    connection = _java(spark)._gateway_client.get_thread_connection()  # noqa: SLF001 - no public name
    if connection is not None:
        connection.close()


def _java(spark: SparkSession) -> Any:
    return spark._jvm  # noqa: SLF001 - no public name


def _print_stacks(process_id: int) -> None:
    stacks = subprocess.run(
        ["jcmd", str(process_id), "Thread.print"],
        capture_output=True,
        text=True,
        timeout=_DUMP_WITHIN_S,
        check=False,
    )
    sys.stderr.write(stacks.stdout + stacks.stderr)
