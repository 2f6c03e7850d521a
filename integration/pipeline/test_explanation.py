"""The sentences of the table `top_waits` are those of `antechamber explain`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from antechamber.explain import explanation
from integration.pipeline.examples import examples
from integration.pipeline.frames import frame, record
from pipeline.computation.tables import top_waits
from tests.pipeline.drawn_records import records

pytestmark = pytest.mark.jvm

LOCKED = {"kind": "share_records", "group": "workers", "acquired": 10, "member": "a"}


def sentences(spark: SparkSession, given_records: list[dict[str, Any]]) -> list[str]:
    """The explanations in the table, sorted."""
    rows = top_waits(spark, frame(spark, given_records)).select("explanation").collect()
    return sorted(row.explanation for row in rows)


@examples(6)
@given(waits=st.lists(records, min_size=30, max_size=90))
def test_any_records_have_the_sentences_of_explain(
    spark: SparkSession, waits: list[dict[str, Any]]
) -> None:
    """Also records that lack optional fields."""
    parked = [each for each in waits if each.get("purgatory") is not None]

    assert sentences(spark, waits) == sorted(" ".join(explanation(each)) for each in parked)


def test_a_wait_for_records_of_a_share_group_is_explained(spark: SparkSession) -> None:
    """With the locked records, of which the member but not the time is known."""
    wait = record(
        api="ShareFetch",
        correlation_id=12,
        client_id="billing",
        node=1,
        purgatory="ShareFetch",
        parked_us=183_000,
        total_us=183_000,
        checks=3,
        waited_for=LOCKED,
        completed_by={"cause": "lock_expired", "topic": "orders", "partition": 0},
    )

    assert sentences(spark, [wait]) == [
        (
            "ShareFetch 12 of client billing was sent to node 1 for group workers, waited 183 ms "
            "in the ShareFetch purgatory for records that group workers can acquire: 10 records "
            "were acquired, was checked three times, and was completed by the expiry of a lock on "
            "records of orders-0. It took 183 ms in total: 183 ms waiting."
        )
    ]
