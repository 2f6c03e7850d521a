"""Random programs of valid requests in which a few fields are changed: a seed determines each.

A changed field is likely, extreme or absent, has the name of something else, or repeats an item.
The programs find checks that one system makes before another, and the limits of numbers and names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from integration.fuzz.values import KEYS, Drawing
from integration.parity.comparison import Program
from integration.parity.every_api import Names, every_request
from protocol.fields import Field, fields_of
from protocol.messages.fetch import FetchRequest
from protocol.messages.share_fetch import ShareFetchRequest

STEPS = 6
CHANGES = (0, 1, 1, 1, 2, 2, 3)  # of a request
_EXTREME = 20  # percent of the drawn values
# The APIs that are not compared: most of them show or change more than what a program has made.
LEFT_OUT = {
    "AddRaftVoter": "a listener without a name ends the process of Kafka",
    "AlterClientQuotas": "of several unknown types, the request's order decides which is reported",
    "ApiVersions": "it lists the served APIs",
    "DescribeClientQuotas": "it lists those of other programs",
    "DescribeLogDirs": "it has paths and sizes",
    "DescribeQuorum": "it has the length of a log",
    "DescribeUserScramCredentials": "it lists those of other programs",
    "ListConfigResources": "it lists those of other programs",
    "ListGroups": "it lists those of other programs",
    "ListTransactions": "it lists those of other programs",
    "SaslAuthenticate": "the listener has no logins",
    "SaslHandshake": "the listener has no logins",
    "UnregisterBroker": "it could remove the node",
    "UpdateFeatures": "here no level can be changed",
    "WriteTxnMarkers": "here an invalid marker does not fail the others",
}
# Kafka's controller lets short timeouts expire, depending on its load; long waits take time; and
# Kafka fails to look up sessions whose ids it does not give.
_KEPT = {"max_wait_ms", "min_bytes", "session_id", "timeout_ms"}
_UNKNOWN = UUID(int=0x12345678_1234_1234_1234_123456789ABC)
_ENDS = ("\0", "\r\n", " 2", "é" * 100, "x" * 300, "x" * 1000)
_PARTITIONS_MAX = 10
_TOO_MANY_PARTITIONS = 100_000
_BROKER = 4  # a resource type; its settings are those of all programs


class ChangedRequest(NamedTuple):
    """One step: *base* is an index of the requests that can be changed, *seed* that of changes."""

    base: int
    seed: int

    def request(self, names: Names, candidates: Sequence[Any]) -> tuple[Any, int]:
        """The request, one of the candidates with changes, and its version."""
        request = deepcopy(candidates[self.base % len(candidates)])
        chance = Random(self.seed)
        version = chance.choice(list(request.__spec__.versions))
        drawing = Drawing(chance, _EXTREME)
        # No other program uses these names.
        drawing.seen_texts = [each for each in names if isinstance(each, str)]
        drawing.seen_texts += [f"{names.topic}-2", ""]
        drawing.odd_texts = [f"{names.topic}{each}" for each in _ENDS]
        drawing.seen_uuids = [UUID(int=0), names.topic_id, _UNKNOWN]
        for _ in range(chance.choice(CHANGES)):
            if fields := list(_fields(request, version)):
                _change(*chance.choice(fields), version, drawing)
        _confine(request, names)
        return request, version


def changed_requests(seed: int) -> Program[ChangedRequest]:
    """The program with a seed."""
    random = Random(seed)
    return Program(seed, tuple(changed_request(random) for _ in range(STEPS)))


def changed_request(random: Random) -> ChangedRequest:
    """Draw a step."""
    return ChangedRequest(random.randrange(1000), random.randrange(1 << 30))


def candidates(names: Names, left_out: Collection[str] = LEFT_OUT) -> list[Any]:
    """The requests that can be changed."""
    return [
        request
        for requests in every_request(names).values()
        for request in requests
        if type(request).__name__.removesuffix("Request") not in left_out
        and not any(getattr(each, "resource_type", 0) == _BROKER for each in _structs(request))
    ]


def _structs(struct: Any) -> Iterator[Any]:
    """A message and all structs in it."""
    yield struct
    for field in dataclasses.fields(struct):
        value = getattr(struct, field.name)
        items: Iterable[Any] = value if isinstance(value, list) else [value]
        for item in items:
            if dataclasses.is_dataclass(item):
                yield from _structs(item)


def _fields(request: Any, version: int) -> Iterator[tuple[Any, Field]]:
    """Each field that can be changed, with the struct that has it."""
    for struct in _structs(request):
        plain, tagged = fields_of(type(struct), version)
        for field in (*plain, *tagged.values()):
            if field.name not in _KEPT:
                yield struct, field


def _confine(request: Any, names: Names) -> None:
    """Avoid known differences.

    Kafka adds the numbers of new partitions in 32 bits, so that many pass its limit. A ShareFetch
    with an unknown topic id fails, as does a Fetch of two partitions with the zero id. Thousands of
    partitions would take minutes, and more of them in CreatePartitions end Kafka's controller.
    """
    if isinstance(request, FetchRequest):
        for named in request.topics:
            named.topic_id = named.topic_id if named.topic_id.int else _UNKNOWN
    if isinstance(request, ShareFetchRequest):
        for topic in request.topics:
            topic.topic_id = names.topic_id
    for struct in _structs(request):
        if getattr(struct, "num_partitions", 0) > _PARTITIONS_MAX:
            struct.num_partitions = _TOO_MANY_PARTITIONS
        for name in ("count", "partitions"):  # of CreatePartitions, and of internal topics
            value = getattr(struct, name, 0)
            if isinstance(value, int) and value > _PARTITIONS_MAX:
                setattr(struct, name, _PARTITIONS_MAX)


def _change(struct: Any, field: Field, version: int, drawing: Drawing) -> None:
    value = getattr(struct, field.name)
    if isinstance(value, list) and value and drawing.chance.random() < 0.5:
        value.append(deepcopy(drawing.chance.choice(value)))
        return
    is_config = "Config" in type(struct).__name__
    drawing.keys = KEYS if is_config else drawing.seen_texts
    setattr(struct, field.name, drawing.field(field, version))
