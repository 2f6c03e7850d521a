"""``ssl.principal.mapping.rules``; the results are those of Kafka's ``SslPrincipalMapper``."""

from __future__ import annotations

import pytest

from broker.common.errors import Refused, StartupError
from broker.security.principal import ANONYMOUS, user
from broker.security.tls.mapping_rules import MappingRules
from tests.broker.security.tls.stores import chain_text, der, leaf

DUKE = "CN=Duke,OU=Java Soft,O=Sun,C=US"


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ("DEFAULT", DUKE),
        ("", DUKE),
        ("RULE:^CN=(.*?),OU=(.*?),O=(.*?),C=(.*?)$/$1@$2/L", "duke@java soft"),
        ("RULE:^CN=(.*?),.*$/$1/U", "DUKE"),
        ("RULE:^CN=(.*?),.*$/$1-$2/", "Duke-$2"),
        ("RULE:^CN=(.*?),.*$/$12/", "Duke2"),
        ("RULE:^CN=(.*?),.*$/<$0>/", f"<{DUKE}>"),
        ("RULE:.*/pre /L", "pre pre "),
        ("RULE:^CN=(.*?),.*$/a\\/b/", "a/b"),
        ("RULE:^CN=(.*?),.*$//", ""),
        ("RULE:^UID=(.*)$/$1/, RULE:^CN=(.*?),OU=.*$/$1/L, DEFAULT", "duke"),
        ("RULE:^UID=(.*)$/$1/,,DEFAULT", DUKE),
        ("RULE:CN=Duke/x/,DEFAULT", DUKE),
    ],
)
def test_the_first_rule_that_applies_determines_the_name(rules: str, name: str) -> None:
    """A rule applies if its pattern matches the whole name."""
    assert MappingRules(rules).name(DUKE) == name


@pytest.mark.parametrize(
    "rules",
    ["RULE:^CN=(.*?),.*$/$1", "RULE:a/b/X", "foo", "default", "DEFAULTx", "RULE:(/b/"],
)
def test_an_invalid_rule_is_refused(rules: str) -> None:
    """The message names the key and the rule."""
    with pytest.raises(StartupError, match=r"ssl\.principal\.mapping\.rules: '"):
        MappingRules(rules)


def test_a_name_without_a_rule_is_refused() -> None:
    """The connection closes at its first request."""
    with pytest.raises(Refused, match=r"no rule of .* applies to the certificate of CN=Duke"):
        MappingRules("RULE:^UID=(.*)$/$1/").name(DUKE)


def test_the_principal_is_that_of_the_certificate() -> None:
    """A client without a certificate is anonymous."""
    rules = MappingRules("RULE:^CN=(.*?),.*$/$1/")

    assert rules.principal(der(chain_text(leaf("alice.example")))) == user("alice.example")
    assert rules.principal(None) == ANONYMOUS
