"""The expected differences from Kafka: mostly methods of features that are not served.

A listed call must differ from Kafka, with our outcome as listed; otherwise its test fails, and the
entry must be removed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Known:
    """A difference: its reason, and a pattern of our outcome.

    instead: the parts of Kafka's outcome that are replaced, by pattern; the rest is equal.
    """

    reason: str
    here: str = ""
    instead: Mapping[str, str] = field(default_factory=dict)

    def allows(self, ours: Sequence[str], theirs: Sequence[str] | None) -> bool:
        """Whether the outcomes differ as listed."""
        if re.search(self.here, "\n".join(ours), re.DOTALL) is None:
            return False
        return theirs is None or not self.instead or self._rewritten(theirs) == list(ours)

    def _rewritten(self, theirs: Sequence[str]) -> list[str]:
        text = "\n".join(theirs)
        for pattern, words in self.instead.items():
            text = re.sub(pattern, words, text)
        return text.splitlines()


def _of(known: Known, *calls: str) -> dict[str, Known]:
    """List the same difference for several methods or shapes."""
    return dict.fromkeys(calls, known)


_ASSIGNED_AT_ONCE = Known(
    "groups are assigned at once by default: in Kafka a second after the last assignment, and new "
    "streams groups after three",
    instead={
        r'((?:consumer|streams)\.assignment\.interval\.ms.*"?value"?: )"1000"': r'\1"0"',
        r'(streams\.initial\.rebalance\.delay\.ms.*"?value"?: )"3000"': r'\1"0"',
    },
)

# By client, and by method or by method and shape.
_KNOWN: Mapping[str, Mapping[str, Known]] = {
    "confluent-kafka AdminClient": {
        **_of(_ASSIGNED_AT_ONCE, "describe_configs/group"),
    },
}


def known(client: str, method: str, shape: str) -> Known | None:
    """Return the listed difference of a call, or None."""
    of_client = _KNOWN.get(client, {})
    return of_client.get(f"{method}/{shape}", of_client.get(method))
