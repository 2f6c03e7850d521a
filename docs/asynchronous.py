"""Writes `antechamber/asynchronous` from the blocking handle, so that both have the same methods.

A method becomes a coroutine, and each call of such a method gets an ``await``:

    return self._client.wait("hw", timeout)  -->  return await self._client.wait("hw", timeout)

A property that makes a request becomes a coroutine without parameters. A context manager becomes an
asynchronous one; its ``finally`` is shielded from cancellation for a limited time. A method that
passes its client to a function runs as it is, in a thread.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "antechamber"
# Written by hand, as they do the I/O.
_BY_HAND = {"HttpClient": "antechamber.asynchronous.http_client"}
_REPLACED = {
    "contextmanager": ("contextlib", "asynccontextmanager"),
    "Iterator": ("collections.abc", "AsyncIterator"),
    "Generator": ("collections.abc", "AsyncGenerator"),
}
# The methods of a context manager, and their asynchronous forms.
_OF_WITH = {"__enter__": "__aenter__", "__exit__": "__aexit__"}
_CLEANUP = "move_on_after(CLEANUP_TIMEOUT_S, shield=True)"


def modules() -> dict[str, partial[str]]:
    """The files to write, as `docs.generate` has them."""
    return {f"../antechamber/asynchronous/{name}.py": partial(module, name) for name in sources()}


@cache
def sources() -> dict[str, list[ast.ClassDef]]:
    """The classes that make requests, by their modules.

    Their constructor has an `AdminClient`, or all their bases are such classes. Those that also
    start a process have another base, and an asynchronous form that is written by hand.
    """
    found: dict[str, list[ast.ClassDef]] = {}
    names = set(_BY_HAND)
    while more := [each for each in _public_classes() if _is_source(each[1], names)]:
        for name, class_ in more:
            found.setdefault(name, []).append(class_)
            names.add(class_.name)
    return dict(sorted(found.items()))


def _public_classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for path in sorted(FOLDER.glob("*.py")):
        for each in _tree(path.stem).body:
            if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
                yield path.stem, each


def _is_source(class_: ast.ClassDef, names: set[str]) -> bool:
    bases = [ast.unparse(each) for each in class_.bases]
    constructors = [each for each in _functions(class_) if each.name == "__init__"]
    is_client = any("client: AdminClient" in ast.unparse(each.args) for each in constructors)
    return class_.name not in names and (is_client or (bool(bases) and names.issuperset(bases)))


@cache
def _renamed() -> dict[str, str]:
    """The modules of the asynchronous forms of classes."""
    made = {each.name: name for name, classes in sources().items() for each in classes}
    return _BY_HAND | {name: f"antechamber.asynchronous.{home}" for name, home in made.items()}


@cache
def module(name: str) -> str:
    """The source of ``antechamber/asynchronous/NAME.py``."""
    source = _tree(name)
    classes = [
        transformed(each)
        for each in source.body
        if isinstance(each, ast.ClassDef) and each.name in {known.name for known in sources()[name]}
    ]
    title = f"The asynchronous form of `antechamber.{name}`: made by `make docs`, do not edit."
    lines = [f'"""{title}"""', "from __future__ import annotations"]
    lines += sorted(_imports(name, source, classes))
    lines += [ast.unparse(ast.fix_missing_locations(each)) for each in classes]
    return _formatted("\n\n".join(lines) + "\n")


def transformed(class_: ast.ClassDef) -> ast.ClassDef:
    """The asynchronous form of a class."""
    properties = _requesting_properties(class_)
    change = _Awaiting(properties)
    body: list[ast.stmt] = []
    for statement in ast.parse(ast.unparse(class_)).body[0].body:  # type: ignore[attr-defined]  # a copy of the class
        if isinstance(statement, ast.FunctionDef) and _passes_client(statement):
            body.append(_coroutine(_in_thread(statement, class_.name)))
            continue
        changed = change.visit(statement)
        if isinstance(changed, ast.FunctionDef) and changed.name in _OF_WITH:
            changed = _coroutine(_of_async_with(changed))
        elif isinstance(changed, ast.FunctionDef) and _is_request(changed, properties):
            changed = _coroutine(changed)
        body.append(changed)
    bases = [change.visit(ast.Name(ast.unparse(each))) for each in class_.bases]
    return ast.ClassDef(f"Async{class_.name}", bases, [], body, [])


@cache
def _tree(name: str) -> ast.Module:
    return ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))


def _functions(class_: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (each for each in class_.body if isinstance(each, ast.FunctionDef))


def _classes() -> Iterator[ast.ClassDef]:
    return chain.from_iterable(sources().values())


def _decorators(function: ast.FunctionDef) -> set[str]:
    return {ast.unparse(each) for each in function.decorator_list}


@cache
def _methods() -> frozenset[str]:
    """The names of the methods that become coroutines."""
    return frozenset(
        {"call"}
        | {
            function.name
            for class_ in _classes()
            for function in _functions(class_)
            if not function.name.startswith("__") and not _decorators(function) & {"property"}
        }
    )


@cache
def _context_managers() -> frozenset[str]:
    return frozenset(
        function.name
        for class_ in _classes()
        for function in _functions(class_)
        if "contextmanager" in _decorators(function)
    )


def _requesting_properties(class_: ast.ClassDef) -> set[str]:
    """The properties that make a request, directly or through another property."""
    found: set[str] = set()
    while True:
        more = {
            function.name
            for function in _functions(class_)
            if "property" in _decorators(function) and _requests(function, found)
        }
        if more == found:
            return found
        found = more


def _requests(function: ast.FunctionDef, properties: set[str]) -> bool:
    return any(_is_method_call(node) or _is_own(node, properties) for node in ast.walk(function))


def _is_method_call(node: ast.AST) -> bool:
    """Whether *node* is ``self.NAME(...)`` or ``self.ATTRIBUTE.NAME(...)`` of a coroutine."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    owner = node.func.value
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return node.func.attr in _methods() and isinstance(owner, ast.Name) and owner.id == "self"


def _is_own(node: ast.AST, names: set[str]) -> bool:
    """Whether *node* is ``self.NAME`` of one of *names*."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and node.attr in names
    )


class _Awaiting(ast.NodeTransformer):
    """Adds ``await`` to requests, and renames classes."""

    def __init__(self, properties: set[str]) -> None:
        self._properties = properties

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a coroutine is awaited; that of a context manager is not."""
        self.generic_visit(node)
        if not _is_method_call(node) or node.func.attr in _context_managers():  # type: ignore[attr-defined]  # an Attribute
            return node
        return ast.Await(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A property that makes a request is a coroutine."""
        self.generic_visit(node)
        return ast.Await(ast.Call(node, [], [])) if _is_own(node, self._properties) else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Classes have the names of their asynchronous forms."""
        if node.id in _renamed():
            return ast.Name(f"Async{node.id}")
        return ast.Name(_REPLACED[node.id][1]) if node.id in _REPLACED else node

    def visit_With(self, node: ast.With) -> ast.AST:
        """A ``with`` of one of the own context managers is asynchronous."""
        self.generic_visit(node)
        managed = [each.context_expr for each in node.items]
        is_own = any(_is_method_call(each) for each in managed)
        return ast.AsyncWith(node.items, node.body) if is_own else node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """What ``finally`` awaits is done after a cancellation, too."""
        self.generic_visit(node)
        if any(isinstance(each, ast.Await) for line in node.finalbody for each in ast.walk(line)):
            limit = ast.parse(_CLEANUP, mode="eval").body
            node.finalbody = [ast.With([ast.withitem(limit)], node.finalbody)]
        return node


def _of_async_with(function: ast.FunctionDef) -> ast.FunctionDef:
    """A method of a context manager under its other name; the end is shielded."""
    if function.name == "__exit__":
        limit = ast.parse(_CLEANUP, mode="eval").body
        function.body = [ast.With([ast.withitem(limit)], function.body)]
    function.name = _OF_WITH[function.name]
    return function


def _is_request(function: ast.FunctionDef, properties: set[str]) -> bool:
    if "property" in _decorators(function):
        return function.name in properties
    return not function.name.startswith("__")


def _passes_client(function: ast.FunctionDef) -> bool:
    """Whether a method has ``self._client`` as the argument of a function, not of a class."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id not in _renamed()
        and any(_is_own(each, {"_client"}) for each in node.args)
        for node in ast.walk(function)
    )


def _in_thread(function: ast.FunctionDef, class_name: str) -> ast.FunctionDef:
    """The method with a body that calls the blocking one in a thread."""
    given = function.args
    passed = [each.arg for each in given.args[1:]]
    passed += [f"{each.arg}={each.arg}" for each in given.kwonlyargs]
    called = ", ".join([f"{class_name}(self._client.blocking()).{function.name}", *passed])
    lines = ast.parse(f"return await in_thread(partial({called}))").body
    function.body = [function.body[0], *lines]
    return function


def _coroutine(function: ast.FunctionDef) -> ast.AsyncFunctionDef:
    decorators = [each for each in function.decorator_list if ast.unparse(each) != "property"]
    return ast.AsyncFunctionDef(
        function.name, function.args, function.body, decorators, function.returns
    )


def _imports(name: str, source: ast.Module, classes: list[ast.ClassDef]) -> Iterator[str]:
    """The imports of what the classes use."""
    used = {
        node.id for class_ in classes for node in ast.walk(class_) if isinstance(node, ast.Name)
    }
    yield from _imports_of_names(used, source)
    defined = {
        target.id
        for each in source.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    } | {each.name for each in source.body if isinstance(each, ast.ClassDef | ast.FunctionDef)}
    for each in sorted(used & defined):
        yield f"from antechamber.{name} import {each}"
    for original, home in _renamed().items():
        if f"Async{original}" in used - {class_.name for class_ in classes}:
            yield f"from {home} import Async{original}"
    for home, replacement in _REPLACED.values():
        if replacement in used:
            yield f"from {home} import {replacement}"
    if "in_thread" in used:
        yield "from functools import partial"
        yield "from antechamber.asynchronous.http_client import in_thread"
    if "move_on_after" in used:
        yield "from anyio import move_on_after"
        yield "from antechamber.asynchronous.http_client import CLEANUP_TIMEOUT_S"


def _imports_of_names(used: set[str], source: ast.Module) -> Iterator[str]:
    for each in source.body:
        if isinstance(each, ast.ImportFrom) and each.module != "__future__":
            for alias in each.names:
                if (alias.asname or alias.name) in used:
                    yield f"from {each.module} import {ast.unparse(alias)}"
        elif isinstance(each, ast.Import):
            for alias in each.names:
                if (alias.asname or alias.name) in used:
                    yield f"import {ast.unparse(alias)}"


def _formatted(text: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--exit-zero", "--quiet", "--fix"], ["format", "--quiet"]):
        text = subprocess.run(  # noqa: S603 - our own formatter
            [*ruff, *command, "--stdin-filename", "made.py", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout
    return text
