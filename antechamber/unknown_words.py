"""The message for a word of the command line that is none of the possible ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def closest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that is spelled most similarly; None if none is similar."""
    # Imported here, because it is rarely needed.
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(choices), n=1)), None)


def unknown_word(word: str, choices: Iterable[str]) -> str:
    """The reason in one line: it suggests a choice or, if none is similar, lists them."""
    listed = list(choices)
    close = closest(word, listed)
    if close is not None:
        return _suggestion(word, close)
    return f"{word!r} is not one of {', '.join(listed)}"


def unrecognized(words: Sequence[str], options: Iterable[str]) -> str:
    """The reason in one line: it suggests one of *options* for the first option in *words*."""
    unknown = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
    close = closest(unknown, options)
    if close is not None:
        return _suggestion(unknown, close)
    return f"unrecognized arguments: {' '.join(words)}"


def _suggestion(word: str, close: str) -> str:
    return f"{word!r} is unknown; did you mean {close}?"
