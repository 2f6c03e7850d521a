"""Words for the fault rules that affected a request, in its wait record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antechamber import durations, phrases

_EFFECTS = {
    "delay_request": "delays it",
    "delay_response": "delays its response",
    "hang": "does not let it begin",
    "hang_response": "does not send its response",
    "half_open": "keeps its connection half-open",
    "slow": "sends its response slowly",
}
_REASONS = {
    "cut": "cuts a link",
    "delay": "delays a link",
    "loss": "loses messages of a link",
    "hold_high_watermark": "holds the high watermark",
    "hold_isr": "holds the in-sync replicas",
}
_TIMED = frozenset({"delay_request", "delay_response"})


def rule(fault: Mapping[str, Any]) -> str:
    """The rule by its id and name: ``fault rule 3 (lost-acks)``."""
    name = fault.get("name")
    return f"fault rule {fault['rule']}" + (f" ({name})" if name else "")


def holds(request: Mapping[str, Any]) -> str:
    """Why a rule holds the request: ``fault rule 3 delays its response by 300 ms``."""
    waited_for = request["waited_for"]
    effect = waited_for["effect"]
    words = f"{rule(waited_for)} {_EFFECTS.get(effect, effect)}"
    if effect not in _TIMED or request["timeout_ms"] is None:
        return words
    return f"{words} by {durations.format_us(request['timeout_ms'] * 1000)}"


def is_held(request: Mapping[str, Any]) -> bool:
    """Whether the last wait of the request is that for a rule."""
    waited_for = request["waited_for"]
    return waited_for is not None and bool(waited_for["kind"] == "fault")


def kept_waiting(request: Mapping[str, Any]) -> list[str]:
    """A sentence about the rules for links and partitions because of which it waits."""
    waited_for = request["waited_for"]
    faults = None if waited_for is None else waited_for.get("faults")
    if not faults:
        return []
    reasons = [f"{rule(each)} {_REASONS.get(each['action'], each['action'])}" for each in faults]
    verb = "waited" if "completed_by" in request else "waits"
    return [f"It {verb} because {phrases.listed(reasons)}."]


def ended_hold(request: Mapping[str, Any]) -> bool:
    """Whether it waited for a high watermark that a rule held."""
    waited_for = request["waited_for"]
    faults = () if waited_for is None else waited_for.get("faults", ())
    return any(each["action"] == "hold_high_watermark" for each in faults)


def fired(request: Mapping[str, Any]) -> list[str]:
    """A sentence about the rule that has fired, unless the wait already says it."""
    fault = request.get("fault")  # older brokers do not record it
    if fault is None or is_held(request):
        return []
    words = rule(fault)
    action = str(fault["action"]).replace("_", " ")
    return [f"{words[0].upper()}{words[1:]} fired on it: {action}."]
