"""The Spark session."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm


def test_times_are_utc_and_listeners_are_local(spark: SparkSession) -> None:
    """A local session listens only on loopback."""
    configuration = spark.sparkContext.getConf()

    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert configuration.get("spark.driver.bindAddress") == "127.0.0.1"
