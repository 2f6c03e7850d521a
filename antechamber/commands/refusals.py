"""The broker's messages about invalid parameters, with the options of a command in their place."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

_UNKNOWN = re.compile(r"(?:\w+: )?no parameter is named '(\w+)'; there are (.*)")


def translated(message: str, flags: Container[str], others: Mapping[str, str]) -> str:
    """The *message* with options in place of parameters.

    *flags* are those of the command, *others* the arguments of parameters without such a flag.
    """
    if found := _UNKNOWN.fullmatch(message):
        name, known = found.groups()
        options = [option for each in known.split(", ") if (option := _option(each, flags, others))]
        allowed = f"allowed are {', '.join(options)}" if options else "no option is allowed"
        return f"{_option(name, flags, others) or name}: not allowed here; {allowed}"
    parameter, _, reason = message.partition(": ")
    option = _option(parameter, flags, others)
    return message if option is None else f"{option}: {reason}"


def _option(parameter: str, flags: Container[str], others: Mapping[str, str]) -> str | None:
    flag = f"--{parameter.removeprefix('match.').replace('_', '-')}"
    return others.get(parameter, flag if flag in flags else None)
