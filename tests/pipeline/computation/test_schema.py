"""The schema of the tables' rows, compared with the records of the broker."""

from __future__ import annotations

import re

from broker.security.session import ANONYMOUS_SESSION
from broker.wait_records.record import SCHEMA as WRITTEN
from broker.wait_records.record import PartitionFacts, WaitRecord
from pipeline.computation.schema import PHASES, RECORD_DDL, REQUIRED, SCHEMA
from protocol.headers import RequestHeader

_NESTED = re.compile(r"<[^<>]*>")


def fields(ddl: str) -> list[str]:
    """The top-level names of a DDL, in order."""
    while _NESTED.search(ddl):
        ddl = _NESTED.sub("", ddl)
    return [field.split()[0].rstrip(":") for field in ddl.split(",")]


def test_the_schema_has_all_fields_of_a_record() -> None:
    """The fields, their order and the schema number agree with the broker's records."""
    header = RequestHeader(1, 17, 3, "billing")
    record = WaitRecord(header, ANONYMOUS_SESSION, 1, 2, 0.0, 0.0).to_dict()

    assert (SCHEMA, fields(RECORD_DDL)) == (WRITTEN, list(record))
    [partitions] = re.findall(r"partitions ARRAY<STRUCT<(.*?)>>", RECORD_DDL, re.DOTALL)
    assert fields(partitions) == list(PartitionFacts._fields)


def test_required_fields_are_in_the_schema() -> None:
    """The required fields and the phases are fields of the schema."""
    assert set(REQUIRED) <= set(fields(RECORD_DDL))
    assert {f"{phase}_us" for phase in PHASES} <= set(REQUIRED)
