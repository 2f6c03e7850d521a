"""Keys of listeners that have no effect here."""

from __future__ import annotations

from broker.config.key import no_effect
from broker.config.kinds import AnyList

_early = no_effect("all listeners accept connections at the same time")

KEYS = (_early("early.start.listeners", AnyList(), None),)
