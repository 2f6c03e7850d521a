"""Words for the fault rules that affected a request, in its wait record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antechamber.sentences import durations, phrases

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
    number, name = fault.get("rule"), fault.get("name")
    known = "a fault rule" if number is None else f"fault rule {number}"
    return known + (f" ({name})" if name else "")


def holds(request: Mapping[str, Any]) -> str:
    """Why a rule holds the request: ``fault rule 3 delays its response by 300 ms``."""
    waited_for = request["waited_for"]
    effect, timeout_ms = waited_for.get("effect"), request.get("timeout_ms")
    words = f"{rule(waited_for)} {_EFFECTS.get(effect, effect or 'holds it')}"
    if effect not in _TIMED or timeout_ms is None:
        return words
    return f"{words} by {durations.format_us(timeout_ms * 1000)}"


def is_held(request: Mapping[str, Any]) -> bool:
    """Whether the last wait of the request is that for a rule."""
    return bool((request.get("waited_for") or {}).get("kind") == "fault")


def kept_waiting(request: Mapping[str, Any]) -> list[str]:
    """A sentence about the rules for links and partitions because of which it waits."""
    faults = _reasons(request)
    if not faults:
        return []
    reasons = [f"{rule(each)} {_reason(each.get('action'))}" for each in faults]
    verb = "waited" if request.get("completed_by") is not None else "waits"
    return [f"It {verb} because {phrases.listed(reasons)}."]


def ended_hold(request: Mapping[str, Any]) -> bool:
    """Whether it waited for a high watermark that a rule held."""
    return any(each.get("action") == "hold_high_watermark" for each in _reasons(request))


def fired(request: Mapping[str, Any]) -> list[str]:
    """A sentence about the rule that has fired, unless the wait already says it."""
    fault = request.get("fault")  # older brokers do not record it
    if fault is None or is_held(request):
        return []
    words = rule(fault)
    action = fault.get("action")
    what = "" if action is None else f": {str(action).replace('_', ' ')}"
    return [f"{words[0].upper()}{words[1:]} fired on it{what}."]


def _reasons(request: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The rules that are a reason for the wait."""
    return (request.get("waited_for") or {}).get("faults") or ()


def _reason(action: str | None) -> str:
    """What a rule for links or partitions does."""
    return "is in force" if action is None else _REASONS.get(action, action)
