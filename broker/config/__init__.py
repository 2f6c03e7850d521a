"""The broker's configuration: every key that Kafka 4.3 has, declared once.

`keys` declares the keys that this broker uses, `unused` those that have no effect here; `table` has
both. `broker_config` is the configuration of a running broker; `topics`, `groups` and
`client_metrics` have the keys of those resources, and `dynamic` checks changes while a broker runs.
"""

from broker.config.broker_config import DEFAULTS, Config, ConfigError, Setting, parse_config
from broker.config.key import attribute

__all__ = ["DEFAULTS", "Config", "ConfigError", "Setting", "attribute", "parse_config"]
