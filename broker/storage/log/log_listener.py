"""Listens to the next change of a log."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from broker.common.topic_partition import TopicPartition


@mypyc_attr(allow_interpreted_subclasses=True)
class LogListener:
    """Is called once for each time that it was added to a log (`ReadableLog.listen`).

    A log may drop it when ``is_closed``.
    """

    __slots__ = ("is_closed",)

    def __init__(self) -> None:
        self.is_closed = False

    def log_changed(self, key: TopicPartition) -> None:
        """The log of the partition, or the partition itself, has changed.

        That is the end or the start of the log, its high watermark or its leader epochs, the role,
        the in-sync set or the metadata of the partition, or that the node does not have it any
        more. Called in the middle of the change, so it must not read the log.
        """
        raise NotImplementedError
