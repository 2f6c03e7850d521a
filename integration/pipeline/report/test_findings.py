"""The findings of a page, read from the tables."""

from __future__ import annotations

import pytest

from integration.pipeline.conftest import BAD_LINES, RECORDS, WINDOW_S
from pipeline.output.store import Store
from pipeline.report.findings import gather
from tests.pipeline.wait_records import wait_records

pytestmark = pytest.mark.jvm


def test_findings_add_up_to_the_records(analysed: Store) -> None:
    """Requests by API, time and cause have the same totals; the longest waits are first."""
    records = wait_records(RECORDS)
    found = gather(analysed.published(), "x", WINDOW_S)

    over_time = sum(sum(cells.values()) for cells in found.over_time.values())
    assert found.requests == over_time == RECORDS
    assert sum(each.count for each in found.series) == RECORDS
    assert found.malformed == len(BAD_LINES)
    assert found.parked == sum(record["purgatory"] is not None for record in records)
    assert found.top[0]["parked_us"] == max(record["parked_us"] for record in records)
    assert sum(found.lag.values()) == sum(record["purgatory"] == "Produce" for record in records)
    assert sum(each["requests"] for each in found.clients) == RECORDS
    waited = sum(record["parked_us"] + record["queued_us"] for record in records)
    assert found.blame.waited_us + found.blame.queued_us + found.blame.idle_us == waited
    hurt = sum(each.waited_us for each in found.blame.found)
    assert hurt == found.blame.waited_us + found.blame.queued_us
    for api in found.apis:
        mine = [record for record in records if record["api"] == api.name]
        assert api.count == sum(count for _, count in api.histogram) == len(mine)
        assert api.total["max"] == max(record["total_us"] for record in mine)
