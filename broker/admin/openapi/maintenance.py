"""Describes ``/v1/topics``: work on topics and partitions that begins now."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import Parameter, flag, in_path, text, whole
from broker.admin.openapi.schema import INTEGER, STRING, array, record, ref

_INT_MAX = 2**31 - 1
_TOPIC = in_path(text("topic", "the name of the topic"))
_PARTITION = in_path(whole("partition", "the number of the partition", 0, _INT_MAX))
_ELECT = (
    whole("leader", "a replica in sync that is to lead, not the preferred one", 0, _INT_MAX),
    flag("unclean", "where there is no leader, elect a replica that is not in sync"),
)
_SUMMARIES = {
    "compact": "Begin a new segment, and compact all others.",
    "roll": "Begin a new segment.",
    "expire": "Delete the segments that retention allows now.",
    "elect": "Elect the preferred replica, or another one.",
}


def _operation(name: str, of: str, path: tuple[Parameter, ...]) -> dict[str, Operation]:
    parameters = (*path, *(_ELECT if name == "elect" else ()))
    errors = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
    return {
        "POST": Operation(
            f"{name}{of}", _SUMMARIES[name], ref("WorkOnPartitions"), parameters, errors
        )
    }


MAINTENANCE = Section(
    "topics",
    "Work on topics and partitions that begins now.",
    {
        **{
            f"/v1/topics/{{topic}}/{name}": _operation(name, "Topic", (_TOPIC,))
            for name in _SUMMARIES
        },
        **{
            f"/v1/topics/{{topic}}/partitions/{{partition}}/{name}": _operation(
                name, "Partition", (_TOPIC, _PARTITION)
            )
            for name in _SUMMARIES
        },
    },
    {
        "WorkOnPartitions": record(
            partitions=array(
                record(
                    topic=STRING,
                    partition=INTEGER,
                    leader=INTEGER,
                    leader_epoch=INTEGER,
                    replicas=array(
                        record(
                            node=INTEGER,
                            segments_before=INTEGER,
                            segments=INTEGER,
                            bytes_before=INTEGER,
                            bytes=INTEGER,
                            log_start_offset=INTEGER,
                            log_end_offset=INTEGER,
                        )
                    ),
                )
            )
        )
    },
)
