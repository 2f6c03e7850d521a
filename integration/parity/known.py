"""The intended differences from Kafka, with reasons and the replaced parts of a transcript.

A scenario with other differences fails. A listed scenario also fails if the difference does not
occur: Kafka's transcript with the replacements must equal ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from integration.security.listeners import FAILURE_DELAY_MS
from protocol.errors import ErrorCode


@dataclass(frozen=True)
class Known:
    """A difference: its reason, and replacements by patterns in Kafka's lines."""

    reason: str
    instead: Mapping[str, str]

    def rewritten(self, lines: Iterable[str]) -> Sequence[str]:
        """Return our expected lines for Kafka's lines; empty lines are removed."""
        ours = []
        for line in lines:
            for pattern, words in self.instead.items():
                line = re.sub(pattern, words, line)  # noqa: PLW2901 - sequentially
            ours.append(line)
        return [line for line in ours if line]


_SOONER = Known(
    "some defaults differ: short group delays and few partitions of internal topics, for tests; "
    "the system chooses the receive buffer, because Kafka's slows large produces, and the send "
    "buffer is larger, because Kafka's slows large fetches",
    {
        r"(\[group\.(?:consumer|streams)\.assignment\.interval\.ms; )1000; 5": r"\g<1>0; 5",
        r"(\[group\.(streams\.)?initial\.rebalance\.delay\.ms; )3000; 5": r"\g<1>0; 5",
        r"(\[offsets\.topic\.num\.partitions; )50; 5": r"\g<1>4; 5",
        r"(\[share\.coordinator\.state\.topic\.num\.partitions; )50; 5": r"\g<1>4; 5",
        r"^(socket\.receive\.buffer\.bytes: .*)102400(.*)102400; 5": r"\g<1>-1\g<2>-1; 5",
        r"^(socket\.send\.buffer\.bytes: .*)102400(.*)102400; 5": r"\g<1>262144\g<2>262144; 5",
    },
)

_OWN_TEXT = Known(
    "Kafka's text names objects of its own, and has the standard sentence in other responses",
    {
        r"error_message=Request Request\(.*?\) needs \w+ permission\.": (
            "error_message=Cluster authorization failed."
        )
    },
)

KNOWN: Mapping[str, Known] = MappingProxyType(
    {
        "settings_of_a_broker": _SOONER,
        "settings_of_a_new_group": _SOONER,
        "settings_of_a_group": Known(
            "groups are assigned at once by default, in Kafka after a second",
            {
                r"(name=group\.consumer\.assignment\.interval\.ms value=)1000 source=5": (
                    r"\g<1>0 source=5"
                )
            },
        ),
        "records_in_unusual_forms": Known(
            "Kafka does not catch the exception of an overlong varint",
            {r"^(a length of six bytes: .*)UNKNOWN_SERVER_ERROR": r"\1INVALID_RECORD"},
        ),
        "new_requests_at_level_0": Known(
            "in Kafka, a transactional id stays blocked after a request that its state log cannot "
            "store",
            {f"^{ErrorCode.CONCURRENT_TRANSACTIONS.value}$": f"{ErrorCode.NONE.value}"},
        ),
        "unprivileged_requests_about_topics": _OWN_TEXT,
        "unprivileged_requests_about_the_cluster": _OWN_TEXT,
        "unprivileged_requests_about_security": Known(
            "Kafka's text names its objects, or is missing; here it is the standard sentence",
            {
                **_OWN_TEXT.instead,
                r"^(DescribeUserScram.*?FAILED) (results=.*?FAILED)": (
                    r"\1 error_message=Cluster authorization failed. "
                    r"\2 error_message=Cluster authorization failed."
                ),
            },
        ),
        "malformed_final_messages": Known(
            "Kafka does not catch the exception of a proof of another length",
            {
                r"^short proof: \[before .*": (
                    f"short proof: [after {FAILURE_DELAY_MS} ms; "
                    "(error_code=SASL_AUTHENTICATION_FAILED "
                    "error_message=Authentication failed during authentication due to invalid "
                    "credentials with SASL mechanism SCRAM-SHA-256 auth_bytes=''); closed]"
                )
            },
        ),
        "share_log_start_moves_into_a_gap": Known(
            "in Kafka, the group gets no records any more after the log start has moved into a gap "
            "of its stored state",
            {"^begins: .*": "begins: 0: 2-3#2 4-4#1", "^new: .*": "new: 0: 5-7#1"},
        ),
        "share_member_disconnects_while_it_fetches": Known(
            "in Kafka, a fetch whose client has disconnected still acquires the next records",
            {r"^delivered: .*": "delivered: 0: 0-4#1"},
        ),
        "share_begins_within_an_aborted_batch": Known(
            "Kafka fails if a group with read_committed begins within an aborted batch",
            {r"^begins: .*": "begins: 0: 10-15#1"},
        ),
        "produce_null": Known(
            "Kafka fails on null records and never responds; here they are rejected",
            {"waits: True": "waits: False"},
        ),
    }
)
