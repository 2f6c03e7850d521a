"""The schema of the tables' rows against the records that the broker writes."""

from __future__ import annotations

import re

from broker.wait_records.record import SCHEMA as WRITTEN
from broker.wait_records.record import PartitionFacts, WaitRecord
from pipeline.schema import PHASES, RECORD_DDL, REQUIRED, SCHEMA
from protocol.headers import RequestHeader

_NESTED = re.compile(r"<[^<>]*>")


def fields(ddl: str) -> list[str]:
    """The names at the top of a DDL, in order."""
    while _NESTED.search(ddl):
        ddl = _NESTED.sub("", ddl)
    return [field.split()[0].rstrip(":") for field in ddl.split(",")]


def test_it_has_every_field_of_the_brokers_records() -> None:
    """In the same order, under the same number; and of each partition."""
    told = WaitRecord(RequestHeader(1, 17, 3, "billing"), 1, 2, 0.0, 0.0).told()

    assert (SCHEMA, fields(RECORD_DDL)) == (WRITTEN, list(told))
    [partitions] = re.findall(r"partitions ARRAY<STRUCT<(.*?)>>", RECORD_DDL, re.DOTALL)
    assert fields(partitions) == list(PartitionFacts._fields)


def test_what_is_required_is_there() -> None:
    """And so is each phase."""
    assert set(REQUIRED) <= set(fields(RECORD_DDL))
    assert {f"{phase}_us" for phase in PHASES} <= set(REQUIRED)
