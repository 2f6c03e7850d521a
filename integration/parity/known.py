"""The differences from Kafka that are meant: each with its reason, and what is told here instead.

A scenario that differs and is not here fails. So does one that is here and differs in anything
else, or no longer: Kafka's transcript, rewritten as it says here, must be ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Known:
    """A difference: why it is there, and for patterns in Kafka's lines what ours have instead."""

    reason: str
    instead: Mapping[str, str]

    def rewritten(self, lines: Iterable[str]) -> Sequence[str]:
        """What ours must be if these are Kafka's lines; those that end up empty are left out."""
        ours = []
        for line in lines:
            for pattern, words in self.instead.items():
                line = re.sub(pattern, words, line)  # noqa: PLW2901 - one change after the other
            ours.append(line)
        return [line for line in ours if line]


_ELIGIBLE_LEADERS = Known(
    "a new Kafka 4 cluster has eligible leader replicas (KIP-966), which make min.insync.replicas "
    "a setting of the cluster (source 3); here it is the broker's default (source 5)",
    {
        r"(name=min\.insync\.replicas value=1 [^)]*)config_source=3": r"\1config_source=5",
        r"\(name=min\.insync\.replicas value=1 source=3\); ": "",
    },
)

KNOWN: Mapping[str, Known] = MappingProxyType(
    {
        "features_stay": Known(
            "every feature has one level here, so what is supported is a narrower range",
            {"only supports versions 7-30": "only supports versions 30-30"},
        ),
        "settings_of_a_group": Known(
            "a group is assigned anew at once by default, where Kafka takes a second",
            {
                r"(name=group\.consumer\.assignment\.interval\.ms value=)1000 source=5": (
                    r"\g<1>0 source=5"
                )
            },
        ),
        "produce_null": Known(
            "Kafka fails on null records and never answers; here they are refused",
            {"waits: True": "waits: False"},
        ),
        "settings_of_replicas_in_sync": _ELIGIBLE_LEADERS,
        "settings_there_are": Known(
            "min.insync.replicas is no setting of the cluster",
            {r"^(min\.insync\.replicas: 1: 3): 3": r"\1: 5"},
        ),
    }
)
