"""The broker's configuration: every key that Kafka 4.3 has, declared once.

`keys` are the keys that this broker uses, `idle` those that have no effect here; `table` is all of
them. `broker_config` is what a broker runs with; `topics`, `groups` and `client_metrics` have the
keys of those resources, `dynamic` what may change while a broker runs.
"""

from broker.config.broker_config import DEFAULTS, Config, ConfigError, Setting, parse_config
from broker.config.key import attribute

__all__ = ["DEFAULTS", "Config", "ConfigError", "Setting", "attribute", "parse_config"]
