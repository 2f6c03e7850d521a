"""Keys of delegation tokens."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import Secret, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class DelegationTokenKeys:
    """Keys of delegation tokens."""

    delegation_token_secret_key: str | None = key(
        "delegation.token.secret.key",
        Secret(),
        None,
        "The secret from which the HMACs of tokens are computed; without it there are no tokens.",
    )
    delegation_token_max_lifetime_ms: int = key(
        "delegation.token.max.lifetime.ms",
        int64(1),
        604_800_000,
        "The time after which a token cannot be renewed any more.",
    )
    delegation_token_expiry_time_ms: int = key(
        "delegation.token.expiry.time.ms",
        int64(1),
        86_400_000,
        "The time after which a token expires unless it is renewed.",
    )
    delegation_token_expiry_check_interval_ms: int = key(
        "delegation.token.expiry.check.interval.ms",
        int64(1),
        3_600_000,
        "How often expired tokens are removed.",
    )
