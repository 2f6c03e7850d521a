"""Describes ``/v1/clock``: the state of the clock and its adjustments."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.clock_paths import (
    ADVANCE_MS_MAX,
    EVENTS,
    SPEED_MAX,
    SPEED_MIN,
    STEPS_DEFAULT,
    STEPS_MAX,
)
from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import choice, decimal, text, whole
from broker.admin.openapi.schema import (
    INTEGER,
    NUMBER,
    STRING,
    array,
    nullable,
    one_of,
    record,
    ref,
)
from broker.admin.parameters import API_NAMES

_INT_MAX = 2**31 - 1
_ADVANCE = (
    whole("ms", "by how much; without `to`", 0, ADVANCE_MS_MAX),
    choice("to", "the event at which the advance ends", ("timer", *EVENTS)),
    text("member", "of `to=session`: the member id; required"),
    text("group", "of `to=session`: the group"),
    text("transactional_id", "of `to=transaction`; required"),
    choice("api", "of `to=parked`: the API", API_NAMES),
    text("client", "of `to=parked`: the client id"),
    whole("correlation", "of `to=parked`: the correlation id", 0, _INT_MAX),
    text("topic", "of `to=retention`; required"),
    whole("partition", "of `to=retention`; required", 0, _INT_MAX),
    whole("limit", "the largest number of steps returned", 1, STEPS_MAX, STEPS_DEFAULT),
)

CLOCK = Section(
    "clock",
    "The clock that everything in the broker that waits by time reads.",
    {
        "/v1/clock": {"GET": Operation("getClock", "Return the state of the clock.", ref("Clock"))},
        "/v1/clock/freeze": {
            "POST": Operation("freezeClock", "Stop the clock: nothing expires.", ref("Clock"))
        },
        "/v1/clock/run": {
            "POST": Operation(
                "runClock",
                "Let the clock run.",
                ref("Clock"),
                (decimal("speed", "how many times as fast", SPEED_MIN, SPEED_MAX, 1.0),),
            )
        },
        "/v1/clock/advance": {
            "POST": Operation(
                "advanceClock",
                "Move the clock forwards by a duration or to an event.",
                ref("Advance"),
                _ADVANCE,
                (HTTPStatus.CONFLICT,),
            )
        },
    },
    {
        "Clock": record(
            state=one_of("running", "frozen"),
            speed=NUMBER,
            now_us=INTEGER,
            next=nullable(record(in_ms=NUMBER, node=nullable(INTEGER), timer=STRING)),
        ),
        "Advance": record(
            advanced_ms=NUMBER,
            tasks_run=INTEGER,
            steps=array(
                record(
                    after_ms=NUMBER,
                    tasks=array(record(node=nullable(INTEGER), timer=STRING, task=STRING)),
                    responses=array(ref("WaitRecord")),
                )
            ),
            steps_omitted=INTEGER,
            clock=ref("Clock"),
        ),
    },
)
