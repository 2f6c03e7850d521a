"""The paths of work on topics and partitions."""

from __future__ import annotations

import pytest

from tests.broker.admin.test_paths import request
from tests.facts import FakeFacts

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("work", ["compact", "roll", "expire"])
async def test_work_on_a_topic_and_on_a_partition(work: str) -> None:
    """The name of the topic is decoded."""
    facts = FakeFacts()

    assert (await request(facts, f"/v1/topics/a%2Fb/{work}", "POST"))[0] == 200
    assert (await request(facts, f"/v1/topics/t/partitions/3/{work}", "POST"))[0] == 200
    assert facts.work.calls == [(work, "a/b", None), (work, "t", 3)]


async def test_an_election_may_name_the_leader() -> None:
    """Or be unclean, but not both."""
    facts = FakeFacts()
    path = "/v1/topics/t/partitions/0/elect"

    assert (await request(facts, f"{path}?leader=2", "POST"))[0] == 200
    assert (await request(facts, f"{path}?unclean=1", "POST"))[0] == 200
    assert facts.work.calls == [("elect", "t", 0, 2, False), ("elect", "t", 0, None, True)]
    assert await request(facts, f"{path}?leader=2&unclean=1", "POST") == (
        400,
        "unclean: not with leader, which must be a replica in sync",
    )


@pytest.mark.parametrize("number", ["-1", "x", "99999999999"])
async def test_the_path_has_the_number_of_a_partition(number: str) -> None:
    """Other texts are no partition."""
    path = f"/v1/topics/t/partitions/{number}/roll"

    assert await request(FakeFacts(), path, "POST") == (
        404,
        f"'{number}' is not the number of a partition",
    )
