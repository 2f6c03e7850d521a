"""Writes out the initializers of dataclasses, in the copy of the source that mypyc compiles.

mypyc compiles only classes that `dataclasses` decorates, and leaves the methods that it generates
to the interpreter. So the copy has the initializer as source, and the class shares its other
methods with all others, as in the pure build:

    @dataclass(frozen=True)       @dataclass(init=False, repr=False, eq=False)
    class Point:                  class Point:
        x: int                        x: int
                                      def __init__(self, x: int) -> None: self.x = x
                                  add_methods(Point, unsafe_hash=True)

A frozen class is not frozen in a compiled build: its own initializer must assign to it. All lines
keep their numbers, so tracebacks name those of the original. `dataclasses` generates the methods of
a class that has bases, subclasses, an initializer of its own or a field without an initial value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

_IMPORT: Final = "from protocol.lazy_dataclass import dataclass"
_IMPORTS: Final = (
    "from dataclasses import dataclass; from protocol.lazy_dataclass import add_methods"
)
_GENERATED: Final = "init", "repr", "eq"


class Field(NamedTuple):
    """A field: its name, type, default, and factory of a default, as source.

    One that is no ``parameter`` has its default.
    """

    name: str
    type: str
    default: str | None
    factory: str | None = None
    parameter: bool = True

    @property
    def declared(self) -> str:
        """The parameter of the initializer."""
        if self.factory is not None:
            return f"{self.name}: {self.type} | None = None"
        return f"{self.name}: {self.type}" + ("" if self.default is None else f" = {self.default}")

    @property
    def value(self) -> str:
        """What the initializer assigns."""
        made = self.default if self.factory is None else f"({self.factory})()"
        if not self.parameter:
            return str(made)
        return (
            self.name if self.factory is None else f"{made} if {self.name} is None else {self.name}"
        )


def with_initializers(source: str) -> str:
    """*source* with the initializers of the dataclasses that can have one."""
    lines = [_IMPORTS if line == _IMPORT else line for line in source.split("\n")]
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    inherited = {ast.unparse(base) for node in classes for base in node.bases}
    for node in classes:
        call = _decorator(node)
        if call is not None and not node.bases and node.name not in inherited:
            fields = list(_fields(node))
            if _can_have_initializer(node, fields):
                _write_out(lines, node, call, fields)
    return "\n".join(lines)


def _decorator(node: ast.ClassDef) -> ast.Call | None:
    """The call of `dataclass` that decorates the class; None if there is none."""
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and ast.unparse(each.func) == "dataclass":
            return each
    return None


def _fields(node: ast.ClassDef) -> Iterator[Field | None]:
    """The fields in order; None for one without an initial value."""
    for each in node.body:
        if not isinstance(each, ast.AnnAssign) or "ClassVar" in ast.unparse(each.annotation):
            continue
        name, annotation, value = ast.unparse(each.target), ast.unparse(each.annotation), each.value
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
            options = {each.arg: ast.unparse(each.value) for each in value.keywords}
            default, is_parameter = options.get("default"), options.get("init") != "False"
            factory = options.get("default_factory")
            has_value = is_parameter or default is not None or factory is not None
            yield Field(name, annotation, default, factory, is_parameter) if has_value else None
        else:
            yield Field(name, annotation, None if value is None else ast.unparse(value))


def _can_have_initializer(node: ast.ClassDef, fields: list[Field | None]) -> bool:
    defined = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    return None not in fields and "__init__" not in defined


def _write_out(
    lines: list[str], node: ast.ClassDef, call: ast.Call, fields: list[Field | None]
) -> None:
    """Write the initializer and the call of `add_methods` into the two lines after the class."""
    end = node.end_lineno or 0
    after = lines[end : end + 2]
    assert not any(line.strip() for line in after), "two empty lines follow a class"
    lines[end : end + 2] = [_initializer(node, call, fields), _added_methods(node, call)]
    _replace(lines, call, f"@{ast.unparse(_decorated(call))}")


def _decorated(call: ast.Call) -> ast.Call:
    """The call with which `dataclass` generates no method."""
    kept = [each for each in call.keywords if each.arg not in {"frozen", *_GENERATED}]
    none = [ast.keyword(arg=name, value=ast.Constant(value=False)) for name in _GENERATED]
    return ast.Call(func=call.func, args=[], keywords=[*kept, *none])


def _added_methods(node: ast.ClassDef, call: ast.Call) -> str:
    """The call that adds the other methods; a class that was frozen stays hashable."""
    options = {each.arg: ast.unparse(each.value) for each in call.keywords}
    given = [f"eq={options['eq']}"] if "eq" in options else []
    if "frozen" in options:
        given.append("unsafe_hash=True")
    return f"add_methods({', '.join([node.name, *given])})"


def _initializer(node: ast.ClassDef, call: ast.Call, fields: list[Field | None]) -> str:
    """The initializer in one line."""
    found = [each for each in fields if each is not None]
    options = {each.arg: ast.unparse(each.value) for each in call.keywords}
    parameters = ["self", *(["*"] if options.get("kw_only") == "True" else [])]
    parameters += [each.declared for each in found if each.parameter]
    statements = [f"self.{each.name} = {each.value}" for each in found]
    if any(
        isinstance(each, ast.FunctionDef) and each.name == "__post_init__" for each in node.body
    ):
        statements.append("self.__post_init__()")
    return f"    def __init__({', '.join(parameters)}) -> None: {'; '.join(statements)}"


def _replace(lines: list[str], node: ast.expr, text: str) -> None:
    """Replace a decorator by *text*, and keep the number of its lines."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    lines[first : last + 1] = [text, *[""] * (last - first)]
