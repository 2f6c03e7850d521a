"""The four codecs of record batches."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import lz4.frame
import pytest
import snappy
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from kafka.protocol.old.struct import Struct as _  # noqa: F401
