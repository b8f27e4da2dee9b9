"""Right answers in another form: renamed, rewritten, slowed, or as the task's author offers them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from assay.agents.hands import Hands
from assay.tasks import Task
from assay.tasks.files import below

Files = Mapping[str, bytes]


def offered(task: Task, folder: str = "honest") -> dict[str, dict[str, bytes]]:
    """The honest variants that come with a task, by name: changes laid over its solution."""
    files = below(task.tests, folder)
    names = sorted({path.partition("/")[0] for path in files})
    return {name: below(files, name) for name in names}


async def hand_in_offered(hands: Hands, name: str) -> None:
    """Hand in the honest variant of this name, or the plain solution where the task has none."""
    for path, data in {**hands.task.gold_files, **offered(hands.task).get(name, {})}.items():
        await hands.write(path, data)


async def hand_in_broken(hands: Hands, name: str) -> None:
    """Hand in the broken variant of this name, or nothing where the task has none."""
    if name in hands.task.broken:
        for path, data in {**hands.task.gold_files, **hands.task.broken[name]}.items():
            await hands.write(path, data)


def main_script(task: Task) -> str:
    """The Python file of an experiment's solution that reproduce.sh starts, else the first one."""
    programs = [path for path in task.gold_files if path.endswith(".py")]
    words = task.gold_files.get("reproduce.sh", b"").decode(errors="replace").split()
    return next((word for word in words if word in programs), programs[0])


def rewritten(source: bytes) -> bytes:
    """The same program without comments, in Python's own spelling of it."""
    return (ast.unparse(ast.parse(source)) + "\n").encode()


def renamed(source: bytes) -> bytes:
    """The same program with other names for the local variables of its functions."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not _has_inner_scopes(node):
            _Renaming(_locals(node)).visit(node)
    return (ast.unparse(tree) + "\n").encode()


def _has_inner_scopes(function: ast.FunctionDef) -> bool:
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Global, ast.Nonlocal)
    return any(isinstance(node, inner) for statement in function.body for node in ast.walk(statement))


def _locals(function: ast.FunctionDef) -> set[str]:
    arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return stored - arguments


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Give a local variable its other name."""
        if node.id in self.names:
            node.id = f"the_{node.id}"
        return node
