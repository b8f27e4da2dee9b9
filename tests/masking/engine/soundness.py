"""What must hold of every mask of every source."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from typing import Any

from assay.masking.engine import Function, MaskedSource, find_functions, mask

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def apart(functions: Iterable[Function]) -> list[Function]:
    """The functions none of which lies inside another that comes before it."""
    chosen: list[Function] = []
    for function in sorted(functions, key=lambda function: function.start):
        if not chosen or function.start >= chosen[-1].end:
            chosen.append(function)
    return chosen


def check(source: bytes, functions: list[Function], **settings: Any) -> MaskedSource:
    """Mask functions that lie apart and hold the result, byte by byte, against the source."""
    masked = mask(source, [function.name for function in functions], **settings)
    assert masked.restore() == source
    assert compiles(masked.source) or not compiles(source)
    found = {function.name: function for function in find_functions(masked.source)}
    stubs = [found[function.name] for function in functions]
    assert outside(source, functions) == outside(masked.source, stubs)
    for function, stub in zip(functions, stubs, strict=True):
        _check_stub(source, masked, function, stub, keeps=settings.get("keep") != "signature")
    return masked


def check_trees(source: bytes, masked: MaskedSource) -> None:
    """Hold the syntax trees against each other, and call every stub."""
    tree, nodes = _parsed(source)
    masked_tree, masked_nodes = _parsed(masked.source)
    names = {piece.name for piece in masked.removed}
    stubs = [masked_nodes[name] for name in names]
    bodies = [list(stub.body) for stub in stubs]
    for name in names:
        nodes[name].body = masked_nodes[name].body = []
    assert ast.dump(tree) == ast.dump(masked_tree)
    for stub, body in zip(stubs, bodies, strict=True):
        stub.body = body
        assert raises(stub)


def compiles(source: bytes) -> bool:
    """Whether Python takes the source; a few files of the standard library's tests it does not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "source", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def outside(source: bytes, functions: list[Function]) -> list[bytes]:
    """What lies before, between and behind functions."""
    edges = [0, *(edge for function in functions for edge in (function.start, function.end)), len(source)]
    return [source[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _check_stub(
    source: bytes, masked: MaskedSource, before: Function, after: Function, *, keeps: bool
) -> None:
    # A one-liner that opens into a block keeps its signature up to the colon.
    signature = masked.source[after.start : after.body_start].rstrip(b" \t\r\n\\")
    assert source[before.start : before.body_start].rstrip(b" \t\r\n\\") == signature
    if before.docstring is None or not keeps:
        assert after.docstring is None
    else:
        assert after.docstring is not None
        assert masked.source[slice(*after.docstring)] == source[slice(*before.docstring)]
    assert after.statements == 1


def _parsed(source: bytes) -> tuple[ast.Module, dict[str, Definition]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    nodes = [node for node in ast.walk(tree) if isinstance(node, Definition)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return tree, {function.name: node for function, node in zip(find_functions(source), nodes, strict=True)}


def raises(node: Definition) -> bool:
    """Whether a stub, taken out of its file and called with nothings, raises `NotImplementedError`."""
    arguments = node.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = None
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    node.decorator_list, node.returns = [], None
    arguments.defaults = []
    arguments.kw_defaults = [None for _ in arguments.kwonlyargs]
    space: dict[str, Any] = {}
    exec(compile(ast.Module([node], []), "stub", "exec", dont_inherit=True), space)
    positional = [None for _ in [*arguments.posonlyargs, *arguments.args]]
    try:
        called = space[node.name](*positional, **{argument.arg: None for argument in arguments.kwonlyargs})
        if isinstance(node, ast.AsyncFunctionDef):
            called.send(None)
    except NotImplementedError as error:
        return str(error).startswith("masked: ")
    return False
