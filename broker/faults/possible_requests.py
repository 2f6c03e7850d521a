"""Refuses a match of no request: names that no API has together, a version of other senders."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from broker.faults.fields import Fields
from broker.faults.named_fields import Kinds, kinds
from broker.faults.rule_spec import FROM_BROKER, FROM_CLIENT, Match
from broker.faults.senders import ADD_PARTITIONS_OF_BROKERS_SINCE, APIS_OF_BROKERS
from protocol.apis import Api
from protocol.messages import REQUESTS

_ADD_PARTITIONS = "AddPartitionsToTxn"
_ANY = "the requests that can match"


def check_possible(
    match: Fields, read: Match, apis: Mapping[str, Api], apis_of_action: Collection[str] | None
) -> None:
    """Raise `InvalidValue` if no request can match *read*.

    *apis* are those that are served, by name, and *apis_of_action* those that the action is
    possible for.
    """
    names = [name for name in Kinds._fields if name in match]
    if read.api is not None:
        for name in names:
            _check_has(match, name, [read.api], apis, f"{read.api} requests have")
        _check_sender(match, read)
        return
    allowed = apis.keys() if apis_of_action is None else apis_of_action
    if read.origin == FROM_BROKER:
        allowed = [api for api in allowed if api in APIS_OF_BROKERS]
        if not allowed:
            raise match.refusal("from", "the action is not for requests of brokers; give client")
    for count, name in enumerate(names, 1):
        if not any(_has_all(apis[api], names[:count]) for api in allowed):
            others = " and ".join(f"a {_words(each)}" for each in names[: count - 1])
            who = f"the requests with {others} that can match" if others else _ANY
            _check_has(match, name, (), apis, f"{who} have")


def _has_all(api: Api, names: Collection[str]) -> bool:
    named = _kinds(api)
    return all(getattr(named, name) for name in names)


def _kinds(api: Api) -> Kinds:
    return kinds(REQUESTS[api.key])


def _check_has(
    match: Fields, name: str, of: Collection[str], apis: Mapping[str, Api], subject: str
) -> None:
    """Refuse a name that requests of none of these APIs have."""
    if any(getattr(_kinds(apis[api]), name) for api in of):
        return
    having = sorted(each for each, api in apis.items() if getattr(_kinds(api), name))
    allowed = ", ".join(having)
    raise match.refusal(name, f"{subject} no {_words(name)}; it is allowed for {allowed}")


def _check_sender(match: Fields, read: Match) -> None:
    """Refuse a version of AddPartitionsToTxn that only the other kind of sender uses (KIP-890)."""
    if read.api != _ADD_PARTITIONS or read.version is None:
        return
    last = ADD_PARTITIONS_OF_BROKERS_SINCE - 1
    if read.origin == FROM_CLIENT and read.version > last:
        raise match.refusal("version", f"clients send 0 to {last}; give from with broker or any")
    if read.origin == FROM_BROKER and read.version <= last:
        raise match.refusal("version", f"brokers send {last + 1} and later; give one of these")


def _words(name: str) -> str:
    return name.replace("_", " ")
