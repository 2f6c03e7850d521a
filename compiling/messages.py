"""Makes the messages of a module native: mypyc compiles their classes, readers and writers.

mypyc compiles no class that has decorators it does not know, and drops the annotations of fields.
So the module of a compiled build has this source, written from that of the checkout:

    @body(HEARTBEAT)                              @mypyc_attr(allow_interpreted_subclasses=True)
    class HeartbeatRequest:                       @dataclass(kw_only=True, init=False, ...)
        group_id: string                          class HeartbeatRequest:
        ...                                           group_id: string
                                                      def __init__(self, *, group_id: string) ...
                                                  add_methods(HeartbeatRequest)
                                                  HeartbeatRequest.__annotations__ = ...
                                                  HeartbeatRequest.__spec__ = ...
                                                  def read_HeartbeatRequest_1(...) ...

There are no subclasses. But ``__new__`` of a class that allows them does not call ``__init__``, as
the readers of `protocol.codec` need it, which read large messages.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from compiling.typed_source import CodecModule, TypedSource
from protocol.codec import coded, is_flexible
from protocol.structs import struct_reader, struct_writer

# Modules of messages, of requests and responses or of the records of internal topics.
MESSAGES: Final = (
    "protocol/messages/",
    "broker/groups/records/offsets.py",
    "broker/share_coordinator/records.py",
)

_DECORATORS: Final = (
    "mypyc_attr(allow_interpreted_subclasses=True)",
    "dataclass(kw_only=True, init=False, repr=False, eq=False)",
)
_IMPORTS: Final = """
from dataclasses import dataclass
from struct import Struct
from typing import Final
from mypy_extensions import mypyc_attr
from protocol.lazy_dataclass import add_methods
from protocol.output import Output
from protocol.ready_codecs import READERS, WRITERS
from protocol.schema import FOREVER, Spec
"""


def with_native_messages(path: str, source: str) -> str:
    """The *source* of the module at *path* with native classes, and their readers and writers."""
    tree = ast.parse(source)
    body: list[ast.stmt] = []
    for node in tree.body:
        body.append(node)
        if isinstance(node, ast.ClassDef):
            body += _made_native(node)
    last_import = max(i for i, node in enumerate(body) if isinstance(node, ast.ImportFrom))
    body[last_import + 1 : last_import + 1] = ast.parse(_IMPORTS).body
    tree.body = body
    return f"{ast.unparse(ast.fix_missing_locations(tree))}\n{_codecs(path, source)}"


def _made_native(node: ast.ClassDef) -> list[ast.stmt]:
    """Make the class native; returns what follows it."""
    (decorator,) = node.decorator_list
    node.decorator_list = [_expression(each) for each in _DECORATORS]
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    annotations = {ast.unparse(each.target): ast.unparse(each.annotation) for each in fields}
    after = [
        f"add_methods({node.name})",
        f"setattr({node.name}, '__annotations__', {annotations!r})",
    ]
    if isinstance(decorator, ast.Call):
        after.append(f"setattr({node.name}, '__spec__', {_spec(decorator)})")
    # Without a docstring `dataclasses` would generate one from the signature.
    node.body = [ast.Expr(ast.Constant(node.name)), *fields, _initializer(fields)]
    return ast.parse("\n".join(after)).body


def _spec(decorator: ast.Call) -> str:
    """The source of the `Spec` of a class, from the call of `body` or of `message`."""
    first = ast.unparse(decorator.args[0])
    options = {each.arg: ast.unparse(each.value) for each in decorator.keywords}
    if "versions" not in options:
        return first
    since, last = ast.literal_eval(options["versions"])
    flexible = options.get("flexible", "FOREVER")
    return f"Spec({first}, range({since}, {last + 1}), {flexible})"


def _initializer(fields: list[ast.AnnAssign]) -> ast.stmt:
    parameters, statements = [], []
    for each in fields:
        name, type_, default = ast.unparse(each.target), ast.unparse(each.annotation), each.value
        value = name
        options: dict[str | None, ast.expr] = {}
        if isinstance(default, ast.Call):  # of `since`
            options = {option.arg: option.value for option in default.keywords}
            default = options.get("default")
        if "factory" in options:
            parameters.append(f"{name}: {type_} | None = None")
            value = f"{ast.unparse(options['factory'])}() if {name} is None else {name}"
        elif default is None:
            parameters.append(f"{name}: {type_}")
        else:
            parameters.append(f"{name}: {type_} = {ast.unparse(default)}")
        statements.append(f"    self.{name} = {value}")
    head = f"def __init__(self, *, {', '.join(parameters)}) -> None:"
    return ast.parse("\n".join([head, *statements])).body[0]


def _codecs(path: str, source: str) -> str:
    """The readers and writers of the messages of a module.

    A broker reads requests, writes responses, and does both with records, in all versions. The
    others it needs for requests to other brokers, in the last version.
    """
    module, registered = CodecModule(), []
    for cls in _messages(path, source):
        versions = cls.__spec__.versions
        last = versions[-1:]
        for version in last if cls.__name__.endswith("Response") else versions:
            fields = coded(cls, version, is_flexible(cls, version))
            reader: Any = struct_reader(TypedSource(module, "read", cls), cls, *fields)
            registered.append(f"READERS[{cls.__name__}, {version}] = {reader}")
        for version in last if cls.__name__.endswith("Request") else versions:
            fields = coded(cls, version, is_flexible(cls, version))
            writer: Any = struct_writer(TypedSource(module, "write", cls), *fields)
            registered.append(f"WRITERS[{cls.__name__}, {version}] = {writer}")
    return "\n".join([module.source(), *registered, ""])


def _messages(path: str, source: str) -> Iterator[Any]:
    module = import_module(path.removesuffix(".py").replace("/", "."))
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and hasattr(getattr(module, node.name), "__spec__"):
            yield getattr(module, node.name)


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
