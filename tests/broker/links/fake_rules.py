"""Rules about links that a test sets without the registry of rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from broker.links.direction import End


@dataclass(slots=True, eq=False)
class FakeLinkRule:
    """A rule about one direction; ``messages`` counts the messages that it was asked about."""

    sender: End | None = None
    receiver: End | None = None
    delay_ms: float = 0
    is_cut: bool = False
    percent: float = 0
    seed: int = 0
    is_over: bool = False
    messages: int = 0
    losses: list[bool] = field(default_factory=list)

    def concerns(self, sender: End, receiver: End) -> bool:
        return self.sender in (None, sender) and self.receiver in (None, receiver)

    @property
    def label(self) -> dict[str, object]:
        return {"rule": 1, "name": None, "action": "cut"}

    @property
    def is_loss(self) -> bool:
        return self.percent > 0

    def affects_message(self) -> bool:
        self.messages += 1
        if not self.is_loss:
            return True
        draw = Random(f"{self.seed} {len(self.losses)}").uniform(0, 100)
        self.losses.append(draw < self.percent)
        return self.losses[-1]
