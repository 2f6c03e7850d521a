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
        (r"RULE:^CN=(?<name>\p{L}+),.*$/${name}!/", "Duke!"),
        (r"RULE:^CN=(\p{Upper}[\p{Lower}-]+),\P{Digit}*$/$1/", "Duke"),
        (r"RULE:^CN=(?<a>\w)u.*C=U(?<b>.)$/${b}${a}/", "SD"),
    ],
)
def test_the_first_rule_that_applies_determines_the_name(rules: str, name: str) -> None:
    """A rule applies if its pattern matches the whole name."""
    assert MappingRules(rules).name(DUKE) == name


def test_word_characters_are_those_of_ascii() -> None:
    """As in Java; letters of a category are not."""
    name = "CN=J\u00fcrgen,O=Sun"

    assert MappingRules(r"RULE:^CN=(\w+).*$/$1/").name(name) == "J"
    assert MappingRules(r"RULE:^CN=([\p{L}]+).*$/$1/").name(name) == "J\u00fcrgen"
    assert MappingRules(r"RULE:^CN=(\p{IsL}+).*$/$1/").name(name) == "J\u00fcrgen"


def test_a_replacement_with_an_unknown_group_is_refused() -> None:
    """The connection closes."""
    with pytest.raises(Refused, match="no group x"):
        MappingRules("RULE:.*/${x}/").name(DUKE)


@pytest.mark.parametrize(
    "rules",
    ["RULE:^CN=(.*?),.*$/$1", "RULE:a/b/X", "foo", "default", "DEFAULTx", "RULE:(/b/"],
)
def test_an_invalid_rule_is_refused(rules: str) -> None:
    """The message names the key and the rule."""
    with pytest.raises(StartupError, match=r"ssl\.principal\.mapping\.rules: '"):
        MappingRules(rules)


@pytest.mark.parametrize("rule", [r"RULE:\p{Greek}/b/", r"RULE:[\P{L}]/b/"])
def test_classes_of_characters_that_are_not_translated_are_refused(rule: str) -> None:
    """The message names them."""
    with pytest.raises(StartupError, match="is not supported"):
        MappingRules(rule)


def test_a_name_without_a_rule_is_refused() -> None:
    """The connection closes at its first request."""
    with pytest.raises(Refused, match=r"no rule of .* applies to the certificate of CN=Duke"):
        MappingRules("RULE:^UID=(.*)$/$1/").name(DUKE)


def test_the_principal_is_that_of_the_certificate() -> None:
    """A client without a certificate is anonymous."""
    rules = MappingRules("RULE:^CN=(.*?),.*$/$1/")

    assert rules.principal(der(chain_text(leaf("alice.example")))) == user("alice.example")
    assert rules.principal(None) == ANONYMOUS
