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


_SOONER = Known(
    "some defaults differ: groups need not wait in a test, nor their topic have fifty logs; the "
    "system chooses the receive buffer, since Kafka's makes large produces slower",
    {
        r"(\[group\.consumer\.assignment\.interval\.ms; )1000; 5": r"\g<1>0; 5",
        r"(\[group\.initial\.rebalance\.delay\.ms; )3000; 5": r"\g<1>0; 5",
        r"(\[offsets\.topic\.num\.partitions; )50; 5": r"\g<1>4; 5",
        r"^(socket\.receive\.buffer\.bytes: .*)102400(.*)102400; 5": r"\g<1>-1\g<2>-1; 5",
    },
)

KNOWN: Mapping[str, Known] = MappingProxyType(
    {
        "settings_of_a_broker": _SOONER,
        "settings_of_a_new_group": _SOONER,
        "settings_of_a_group": Known(
            "a group is assigned anew at once by default, where Kafka takes a second",
            {
                r"(name=group\.consumer\.assignment\.interval\.ms value=)1000 source=5": (
                    r"\g<1>0 source=5"
                )
            },
        ),
        "records_in_odd_forms": Known(
            "Kafka does not catch the exception of a length that is too long a varint",
            {r"^(a length of six bytes: .*)UNKNOWN_SERVER_ERROR": r"\1INVALID_RECORD"},
        ),
        "produce_null": Known(
            "Kafka fails on null records and never answers; here they are refused",
            {"waits: True": "waits: False"},
        ),
    }
)
