"""Topologies of which tests name only what matters."""

from __future__ import annotations

from broker.groups.streams.topology import (
    CopartitionGroup,
    InternalTopic,
    StreamsTopology,
    Subtopology,
)


def subtopology(
    name: str,
    sources: str = "",
    *,
    reads: dict[str, int] | None = None,
    writes: str = "",
    logs: str = "",
    together: tuple[tuple[int, ...], tuple[int, ...]] | None = None,
) -> Subtopology:
    """A subtopology; names of topics are separated by blanks.

    *reads* has repartition topics with their partitions, 0 if these are not fixed. *together* are
    the source topics and the repartition topics that are copartitioned, as indexes.
    """
    return Subtopology(
        subtopology_id=name,
        source_topics=tuple(sources.split()),
        state_changelog_topics=tuple(InternalTopic(name=each) for each in logs.split()),
        repartition_sink_topics=tuple(writes.split()),
        repartition_source_topics=tuple(
            InternalTopic(name=each, partitions=count) for each, count in (reads or {}).items()
        ),
        copartition_groups=(
            (CopartitionGroup(source_topics=together[0], repartition_source_topics=together[1]),)
            if together
            else ()
        ),
    )


def topology(*subtopologies: Subtopology) -> StreamsTopology:
    """A topology of epoch 3."""
    return StreamsTopology(epoch=3, subtopologies=subtopologies)
