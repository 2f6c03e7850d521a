r"""JAAS lines: the values of ``sasl.jaas.config`` (``JaasConfig``, KIP-85).

    org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="secret";

A line names one module, a control flag, which has no meaning here, and options. It is read as by
Java's ``StreamTokenizer``: an unquoted value begins with a letter, ``_`` or ``$``, and may have
digits, ``-`` and ``.`` after it; quoted values have escapes such as ``\"`` and ``\101``; ``//``,
``/`` and ``/* */`` begin comments.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from protocol.lazy_pattern import LazyPattern

_FLAGS: Final = frozenset({"required", "requisite", "sufficient", "optional"})
_REFUSED_MODULES: Final = (
    "com.sun.security.auth.module.JndiLoginModule",
    "com.sun.security.auth.module.LdapLoginModule",
)
_PATTERN: Final = r"""(?P<blank>[\x00-\x20]+|/\*.*?\*/|/[^\n\r]*)
    |"(?P<double>(?:[^"\\\n\r]|\\.)*)"
    |'(?P<single>(?:[^'\\\n\r]|\\.)*)'
    |(?P<word>[A-Za-z_$\u00a0-\U0010ffff][A-Za-z0-9_$.\-\u00a0-\U0010ffff]*)
    |(?P<other>.)"""
_ESCAPE = LazyPattern(r"\\([0-3][0-7]{0,2}|[0-7]{1,2}|.)", re.DOTALL)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@cache
def _token_pattern() -> re.Pattern[str]:
    """The pattern, compiled on use: that takes 3 ms, and few brokers have such a line."""
    return re.compile(_PATTERN, re.VERBOSE | re.DOTALL)


class InvalidJaas(ValueError):  # noqa: N818 - it names the condition
    """A line that cannot be read; the message has no part of a value, which may be a secret."""


class JaasModule(NamedTuple):
    """The class of a login module, and its options."""

    name: str
    options: dict[str, str]

    def __repr__(self) -> str:
        """The options have passwords."""
        return f"JaasModule({self.name})"


class _Token(NamedTuple):
    """A word or a quoted text (``is_text``), or another character."""

    text: str
    is_text: bool


_END: Final = _Token("", is_text=False)


def parse_jaas(line: str) -> JaasModule:
    """The one module of a line; raises `InvalidJaas`."""
    tokens = _tokens(line)
    module = _module(tokens)
    others = 0
    while tokens:
        _module(tokens)
        others += 1
    if others:
        raise InvalidJaas(f"has {1 + others} login modules; give one")
    if module.name in _REFUSED_MODULES:
        raise InvalidJaas(f"names {module.name}, which Kafka refuses as well")
    return module


def _module(tokens: list[_Token]) -> JaasModule:
    """Take the next module from *tokens*."""
    name = _next(tokens)
    if not name.is_text:
        raise InvalidJaas("names no login module; begin with the name of its class")
    flag = _next(tokens)
    if flag.text.lower() not in _FLAGS:
        raise InvalidJaas("has no control flag; write required after the name of the module")
    options = dict[str, str]()
    while (token := _next(tokens)).is_text:
        key = token.text
        if _next(tokens) != _Token("=", is_text=False):
            raise InvalidJaas(f"has no = after {key!r}")
        value = _next(tokens)
        if not value.is_text:
            raise InvalidJaas(
                f"has no value of {key!r} that begins with a letter; enclose it in double quotes"
            )
        options[key] = value.text
    if token.text != ";":
        raise InvalidJaas("does not end with a semicolon, or has an option without quotes")
    return JaasModule(name.text, options)


def _next(tokens: list[_Token]) -> _Token:
    return tokens.pop(0) if tokens else _END


def _tokens(line: str) -> list[_Token]:
    tokens = []
    for found in _token_pattern().finditer(line):
        kind = found.lastgroup
        text = found[kind or 0]
        if kind in ("double", "single"):
            tokens.append(_Token(_ESCAPE.compiled.sub(_unescaped, text), is_text=True))
        elif kind in ("word", "other"):
            tokens.append(_Token(text, is_text=kind == "word"))
    return tokens


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if escape[0] in "01234567":
        return chr(int(escape, 8))
    return _ESCAPES.get(escape, escape)
