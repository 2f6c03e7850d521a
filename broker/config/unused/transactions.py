"""Keys of transactions that have no effect here."""

from __future__ import annotations

from broker.config.key import no_effect
from broker.config.kinds import Boolean, int32

_loading = no_effect("the topic of transactions is loaded in reads of a fixed size")
_two_phase = no_effect("only an unstable version of InitProducerId can request it (KIP-939)")

KEYS = (
    _loading("transaction.state.log.load.buffer.size", int32(1), 5_242_880),
    _two_phase("transaction.two.phase.commit.enable", Boolean(), default=False),
)
