"""The completions of shells, from the parsers of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from docs.parsers import actions, choices, parsers, summaries, takes_file, takes_value

_MADE = "# Made by `make docs` from the parsers of the commands."
_GLOBAL = ("help", "--help", "--version")


def bash() -> str:
    """A script for bash."""
    lines = [_MADE, *_BASH_BEGIN.splitlines()]
    first = " ".join([*parsers(), *_GLOBAL])
    lines += [f'        COMPREPLY=($(compgen -W "{first}" -- "$word"))', "        return", "    fi"]
    lines += ['    case "${COMP_WORDS[1]} $before" in']
    for pattern, command in _bash_values():
        lines.append(f"        {pattern}) {command}; return ;;")
    lines += ["    esac", '    case "${COMP_WORDS[1]}" in']
    for name, parser in parsers().items():
        lines.append(f'        {name}) words="{" ".join(_words(parser))}" ;;')
    lines.append(f'        help) words="{" ".join(parsers())}" ;;')
    return "\n".join([*lines, *_BASH_END.splitlines(), ""])


def fish() -> str:
    """A script for fish."""
    lines = [_MADE, "complete -c antechamber -f"]
    for name, summary in summaries().items():
        lines.append(
            f"complete -c antechamber -n __fish_use_subcommand -a {name} -d {_quoted(summary)}"
        )
    lines.append(
        "complete -c antechamber -n __fish_use_subcommand -l version -d 'show the version'"
    )
    for name, parser in parsers().items():
        condition = f"complete -c antechamber -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{condition} {_fish(action)}" for action in actions(parser)]
    of_help = "complete -c antechamber -n '__fish_seen_subcommand_from help'"
    lines.append(f"{of_help} -a '{' '.join(parsers())}'")
    return "\n".join([*lines, ""])


def zsh() -> str:
    """A function for zsh; it is also defined if the script is sourced."""
    lines = ["#compdef antechamber", _MADE, *_ZSH_BEGIN.splitlines()]
    for name, summary in summaries().items():
        lines.append(f"        {_quoted(f'{name}:{summary}')}")
    lines += [*_ZSH_MIDDLE.splitlines()]
    for name, parser in parsers().items():
        lines.append(f"        {name})")
        lines.append("            _arguments \\")
        lines += [f"                {each} \\" for each in map(_zsh, actions(parser))]
        lines += ["                '--help[show the options]'", "            ;;"]
    lines += ["        help)", "            _describe command commands", "            ;;"]
    return "\n".join([*lines, *_ZSH_END.splitlines(), ""])


_BASH_BEGIN = """\
_antechamber() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=""
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then"""
_BASH_END = """\
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _antechamber antechamber"""
_ZSH_BEGIN = """\
_antechamber() {
    local -a commands
    commands=("""
_ZSH_MIDDLE = """\
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT--))
    case $command in"""
_ZSH_END = """\
    esac
}
if [[ $funcstack[1] == _antechamber ]]; then
    _antechamber "$@"
else
    compdef _antechamber antechamber
fi"""


def _words(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in actions(parser):
        yield from action.option_strings or choices(action)
    yield "--help"


def _bash_values() -> Iterator[tuple[str, str]]:
    """The options with values: a pattern of command and option, and how the value is completed."""
    for name, parser in parsers().items():
        for action in actions(parser):
            if not action.option_strings or not takes_value(action):
                continue
            pattern = " | ".join(f'"{name} {option}"' for option in action.option_strings)
            if allowed := choices(action):
                yield pattern, f'COMPREPLY=($(compgen -W "{" ".join(allowed)}" -- "$word"))'
            elif takes_file(action):
                yield pattern, 'COMPREPLY=($(compgen -f -- "$word"))'
            else:
                yield pattern, ":"


def _fish(action: argparse.Action) -> str:
    words = [
        f"-l {each[2:]}" if each[:2] == "--" else f"-s {each[1:]}" for each in action.option_strings
    ]
    if allowed := choices(action):
        words += [f"-a {_quoted(' '.join(allowed))}"]
    if action.option_strings and takes_value(action):
        words.append("-r -F" if takes_file(action) else "-x")
    elif not action.option_strings and takes_file(action):
        words.append("-F")
    return " ".join([*words, f"-d {_quoted(_help(action))}"])


def _zsh(action: argparse.Action) -> str:
    value = ""
    if takes_value(action):
        what = f"({' '.join(allowed)})" if (allowed := choices(action)) else ""
        what = "_files" if takes_file(action) else what
        value = f":{(action.dest or 'value').replace('_', ' ')}:{what}"
    if not action.option_strings:
        return _quoted(f"*{value}")
    repeated = "*" if isinstance(action, argparse._AppendAction) else ""  # noqa: SLF001 - it has no public name
    help_text = _help(action).replace("[", "(").replace("]", ")").replace(":", r"\:")
    return " ".join(
        _quoted(f"{repeated}{option}[{help_text}]{value}") for option in action.option_strings
    )


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace(" (%(default)s)", "").replace("\\", "")


def _quoted(text: str) -> str:
    """A word in single quotes, for all three shells."""
    return "'" + text.replace("'", r"'\''") + "'"


COMPLETIONS: dict[str, Callable[[], str]] = {
    "antechamber.bash": bash,
    "antechamber.fish": fish,
    "_antechamber": zsh,
}
