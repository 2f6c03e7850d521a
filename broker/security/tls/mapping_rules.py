"""The names of clients with certificates: ``ssl.principal.mapping.rules`` (KIP-371).

A list of rules, separated by commas. ``DEFAULT`` is the distinguished name. A rule
``RULE:pattern/replacement/`` applies if the pattern matches the whole distinguished name; then each
occurrence of the pattern is replaced. A final ``L`` or ``U`` makes the result lower or upper case.
The first rule that applies determines the name (``SslPrincipalMapper``). Patterns and replacements
are those of Java.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from broker.common.errors import Refused, StartupError
from broker.security.principal import ANONYMOUS, Principal, user
from broker.security.tls.certificate import Certificate
from broker.security.tls.java_pattern import java_pattern
from protocol.lazy_pattern import LazyPattern

_KEY = "ssl.principal.mapping.rules"
_PART = r"((?:\\.|[^\\/])*)"
_RULE = LazyPattern(rf"DEFAULT|RULE:{_PART}/{_PART}/([LU]?)")
_SEPARATOR = LazyPattern(r"[\s,]*")
_REPLACED = LazyPattern(r"\\(.)|\$(\d+)|\$\{([A-Za-z][A-Za-z0-9]*)\}", re.DOTALL)


class Rule(NamedTuple):
    """One rule."""

    pattern: re.Pattern[str]
    replacement: str
    convert: Callable[[str], str]

    def apply(self, name: str) -> str | None:
        """The name for a distinguished name, or None if the rule does not apply."""
        if self.pattern.fullmatch(name) is None:
            return None
        return self.convert(self.pattern.sub(self._replaced, name))

    def _replaced(self, match: re.Match[str]) -> str:
        def part(found: re.Match[str]) -> str:
            if found[1] is not None:
                return found[1]
            if found[3] is not None:
                if found[3] not in self.pattern.groupindex:
                    raise Refused(f"a rule of {_KEY} has no group {found[3]}")
                return match[found[3]] or ""
            # The longest number that is a group, as in Java.
            for end in range(len(found[2]), 0, -1):
                number = int(found[2][:end])
                if number <= self.pattern.groups:
                    return (match[number] or "") + found[2][end:]
            return found[0]

        return _REPLACED.compiled.sub(part, self.replacement)


_DEFAULT = Rule(re.compile(r".*", re.DOTALL), "", str)
_CONVERSIONS: dict[str, Callable[[str], str]] = {"": str, "L": str.lower, "U": str.upper}


class MappingRules:
    """The rules of one listener."""

    def __init__(self, text: str) -> None:
        """Read the rules; raises `StartupError`, which names the invalid rule."""
        self._rules = _parsed(text)

    def name(self, distinguished_name: str) -> str:
        """The name of a client; raises `Refused` if no rule applies."""
        for rule in self._rules:
            if rule is _DEFAULT:
                return distinguished_name
            name = rule.apply(distinguished_name)
            if name is not None:
                return name
        raise Refused(f"no rule of {_KEY} applies to the certificate of {distinguished_name}")

    def principal(self, certificate: bytes | None) -> Principal:
        """The principal of a client with this certificate (DER), or without one.

        Raises `Refused` if no rule applies or the certificate cannot be read, which closes the
        connection at its first request.
        """
        if certificate is None:
            return ANONYMOUS
        try:
            subject = Certificate.of(certificate).subject
        except ValueError as error:
            raise Refused(f"the certificate of the client: {error}") from None
        return user(self.name(subject))


def _parsed(text: str) -> list[Rule]:
    rules, at = list[Rule](), _skipped(text, 0)
    while at < len(text):
        found = _RULE.compiled.match(text, at)
        end = None if found is None else _skipped(text, found.end())
        if found is None or (end == found.end() and end != len(text)):
            raise StartupError(f"{_KEY}: {text[at:]!r} does not begin with a valid rule")
        if found[0] == "DEFAULT":
            rules.append(_DEFAULT)
        else:
            rules.append(Rule(_compiled(found[1]), found[2], _CONVERSIONS[found[3]]))
        assert end is not None
        at = end
    return rules or [_DEFAULT]


def _skipped(text: str, at: int) -> int:
    found = _SEPARATOR.compiled.match(text, at)
    assert found is not None
    return found.end()


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return java_pattern(pattern)
    except re.error as error:
        raise StartupError(f"{_KEY}: {pattern!r} is no regular expression: {error}") from None
