"""The paths of the fault rules."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.http import HttpError
from broker.admin.routes import Call, ReadsBody, Routes
from broker.faults.fault_rules import FaultRules
from broker.faults.schedule import read_schedule

_ID_MAX_DIGITS = 12


def fault_routes(faults: FaultRules) -> Routes:
    """The table of paths."""

    async def show_all(call: Call) -> object:
        call.query.allow()
        return {"rules": [rule.facts() for rule in faults.all()]}

    async def add(call: Call) -> object:
        call.query.allow()
        value = call.json()
        if isinstance(value, dict) and ("rules" in value or "schedule" in value):
            rules = faults.add(*read_schedule(value))
            return {"rules": [rule.facts() for rule in rules]}
        [rule] = faults.add(value)
        return rule.facts()

    async def show_firings(call: Call) -> object:
        call.query.allow()
        return {"firings": [firing.facts() for firing in faults.firings]}

    async def clear(call: Call) -> object:
        call.query.allow()
        return {"removed": faults.clear()}

    async def show(call: Call) -> object:
        call.query.allow()
        return faults.rule(_rule_id(call)).facts()

    async def remove(call: Call) -> object:
        call.query.allow()
        return faults.remove(_rule_id(call)).facts()

    return {
        "/v1/faults": {"GET": show_all, "POST": ReadsBody(add), "DELETE": clear},
        "/v1/firings": {"GET": show_firings},
        "/v1/faults/{id}": {"GET": show, "DELETE": remove},
    }


def _rule_id(call: Call) -> int:
    text = call.path["id"]
    if not (text.isascii() and text.isdigit() and len(text) <= _ID_MAX_DIGITS):
        raise HttpError(HTTPStatus.NOT_FOUND, f"{text!r} is not the id of a fault rule")
    return int(text)
