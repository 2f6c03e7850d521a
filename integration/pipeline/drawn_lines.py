"""Random input for the tables: realistic, arbitrary, duplicated, late and broken lines together."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.pipeline.drawn_records import EFFECTS, records, some
from tests.pipeline.wait_records import wait_records

Record = dict[str, Any]

# Most requests are of one partition, whose batches and fetches overlap.
_busy = st.fixed_dictionaries(
    {
        "topic": st.just("orders"),
        "partition": st.just(0),
        "offset": st.integers(0, 1_200),
        "records": st.sampled_from((1, 3, 20, 700)),
    },
    optional={"error": st.sampled_from((None, 0, 7, 20, 3))},
)
skewed = st.builds(
    lambda one, api, client, place: {**one, "api": api, "client_id": client, "partitions": [place]},
    records,
    st.sampled_from(("Produce", "Fetch")),
    st.sampled_from(("billing", "shipping", None)),
    _busy,
)
lagging = st.builds(
    lambda one, lag: {**one, "api": "Produce", "waited_for": {"kind": "high_watermark", **lag}},
    records,
    some(need=st.integers(0, 300), had=st.integers(0, 300)),
)
realistic = st.builds(lambda seed: wait_records(60, seed=seed), st.integers(0, 1_000))

# What is wrong in an otherwise valid line.
_faults = st.one_of(
    some(schema=st.sampled_from((2, "1", 1.5))),
    some(api=st.none(), arrived_us=st.none()),
    some(arrived_us=st.just(-1), total_us=st.sampled_from((-5, 1.5, "x", 2**63))),
    some(node=st.sampled_from((2**31, "n")), error=st.just("no"), partitions=st.just("none")),
    some(completed_by=st.just(5), waited_for=st.just("data"), fault=st.sampled_from(EFFECTS)),
)
_foreign = st.sampled_from(("not a record", "{", '"text"', "7", "null", "\\x00", "{}"))


class Lines(tuple[str, ...]):
    """Lines of a file, which are too many to be printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} lines>"


@st.composite
def lines(draw: st.DrawFn) -> Lines:
    """Lines in any order."""
    found = draw(realistic) + draw(
        st.lists(st.one_of(skewed, records, lagging), min_size=20, max_size=60)
    )
    found = [_at_its_own_time(each, number) for number, each in enumerate(found)]
    texts = [json.dumps(each) for each in found]
    texts += draw(st.lists(st.sampled_from(texts), max_size=6))  # duplicates
    for text in draw(st.lists(st.sampled_from(texts), max_size=6)):
        texts.append(text[: draw(st.integers(1, len(text) - 1))])
    for fault in draw(st.lists(_faults, max_size=6)):
        texts.append(json.dumps({**found[0], **fault}))
    texts += draw(st.lists(_foreign, max_size=3))
    return Lines(draw(st.permutations(texts)))


def _at_its_own_time(record: Record, number: int) -> Record:
    """No two responses are sent at once, so that it is known which was the first one."""
    missing_us = (number - record["arrived_us"] - record["total_us"]) % 1024
    return {**record, "correlation_id": number, "total_us": record["total_us"] + missing_us}
