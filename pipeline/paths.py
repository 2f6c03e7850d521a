"""Paths that can be looked up before Spark starts: those of files on this machine."""

from __future__ import annotations

from collections.abc import Mapping

# Settings with this prefix, these variables and spark-submit may select another file system.
_HADOOP = "spark.hadoop."
_VARIABLES = ("HADOOP_CONF_DIR", "PYSPARK_GATEWAY_PORT", "SPARK_CONF_DIR", "SPARK_HOME")
# A scheme, and the characters of Hadoop's patterns.
_NOT_PLAIN = frozenset(":*?[]{}\\")


def plain_paths_are_local(
    master: str | None, settings: Mapping[str, str], variables: Mapping[str, str]
) -> bool:
    """Whether Spark looks up a path without a scheme on this machine; False if that is unknown."""
    return (
        (master is None or master.startswith("local"))
        and not any(key.startswith(_HADOOP) for key in settings)
        and not any(name in variables for name in _VARIABLES)
    )


def is_plain(path: str) -> bool:
    """Whether *path* has neither a scheme nor a pattern."""
    return not _NOT_PLAIN.intersection(path)
