"""Compiles modules with mypyc: for wheels, for `make serve` and for `make test BUILD=compiled`."""
