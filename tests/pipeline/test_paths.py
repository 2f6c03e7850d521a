"""Where Spark looks up plain paths."""

from __future__ import annotations

import pytest

from pipeline.paths import plain_paths_are_local

_FS = "spark.hadoop.fs.defaultFS"


def test_a_local_spark_reads_this_machine() -> None:
    """Without a master it is local."""
    assert plain_paths_are_local(None, {}, {})
    assert plain_paths_are_local("local[2]", {"spark.driver.memory": "1g"}, {})


@pytest.mark.parametrize(
    ("master", "settings", "variables"),
    [
        ("yarn", {}, {}),
        (None, {_FS: "hdfs://name:8020"}, {}),
        (None, {}, {"HADOOP_CONF_DIR": "/etc/hadoop"}),
        (None, {}, {"SPARK_CONF_DIR": "/etc/spark"}),
        (None, {}, {"SPARK_HOME": "/opt/spark"}),
        (None, {}, {"PYSPARK_GATEWAY_PORT": "4711"}),
    ],
)
def test_what_may_select_another_file_system(
    master: str | None, settings: dict[str, str], variables: dict[str, str]
) -> None:
    """A cluster, settings of Hadoop, a folder of settings, and spark-submit."""
    assert not plain_paths_are_local(master, settings, variables)
