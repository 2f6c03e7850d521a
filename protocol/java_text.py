"""UTF-8 as Java decodes it: malformed bytes become U+FFFD, and none are rejected.

Kafka decodes every string of a request so. Python's ``replace`` gives the same result except for an
encoded surrogate (ED A0 80 to ED BF BF), of which Java makes one U+FFFD and Python three.
"""

from __future__ import annotations

import codecs
from typing import Final

from protocol.lazy_pattern import LazyPattern

JAVA_REPLACE: Final = "java-replace"  # the name of the error handler, for `bytes.decode` and `str`

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
# Bytes that begin no sequence, and lead bytes without a continuation byte.
_SINGLE_BYTES: Final = LazyPattern(rb"(?:[\x80-\xc1\xf5-\xff]|[\xc2-\xf4](?![\x80-\xbf]))+")
_SURROGATE: Final = LazyPattern(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Replace the malformed bytes, and continue after them.

    A run of bytes that are malformed one by one is replaced in one call: a client may send many.
    """
    assert isinstance(error, UnicodeDecodeError)
    if run := _SINGLE_BYTES.compiled.match(error.object, error.start):
        return _REPLACEMENT * len(run.group()), run.end()
    surrogate = _SURROGATE.compiled.match(error.object, error.start)
    return _REPLACEMENT, error.end if surrogate is None else surrogate.end()


codecs.register_error(JAVA_REPLACE, _replace)
