"""Describes ``/v1/share_partitions``: the in-flight records of share groups."""

from __future__ import annotations

from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import text, whole
from broker.admin.openapi.schema import (
    BOOLEAN,
    INTEGER,
    STRING,
    array,
    described,
    nullable,
    one_of,
    record,
    ref,
)

_INT_MAX = 2**31 - 1

SHARE_GROUPS = Section(
    "share groups",
    "The share partitions of share groups (KIP-932), and their in-flight records.",
    {
        "/v1/share_partitions": {
            "GET": Operation(
                "listSharePartitions",
                "Return the share partitions by group, topic and partition.",
                record(share_partitions=array(ref("SharePartition"))),
                (
                    text("group", "only those of this group"),
                    text("topic", "only those of this topic"),
                    whole("partition", "only this partition of the topic", 0, _INT_MAX),
                    whole("batches", "the most batches of each", 0, LIMIT_MAX, LIMIT_DEFAULT),
                    whole("limit", "the largest number returned", 1, LIMIT_MAX, LIMIT_DEFAULT),
                ),
            )
        }
    },
    {
        "SharePartition": record(
            node=described(INTEGER, "the leader; -1: none"),
            group=STRING,
            topic=STRING,
            partition=INTEGER,
            state=one_of("active", "loading", "stored", "invalid"),
            leader_epoch=INTEGER,
            start_offset=nullable(INTEGER),
            end_offset=nullable(INTEGER),
            next_offset=nullable(INTEGER),
            high_watermark=nullable(INTEGER),
            lag=nullable(INTEGER),
            in_flight_max=nullable(INTEGER),
            delivery_count_limit=nullable(INTEGER),
            lock_duration_ms=nullable(INTEGER),
            in_flight=INTEGER,
            acquired=INTEGER,
            available=INTEGER,
            complete=INTEGER,
            members=array(record(member=STRING, client_id=nullable(STRING))),
            batch_count=INTEGER,
            batches=array(ref("InFlightBatch")),
        ),
        "InFlightBatch": record(
            first_offset=INTEGER,
            last_offset=INTEGER,
            state=one_of("available", "acquired", "acknowledged", "archived"),
            delivery_count=INTEGER,
            member=nullable(STRING),
            lock_expires_in_ms=nullable(INTEGER),
            is_being_stored=BOOLEAN,
        ),
    },
)
