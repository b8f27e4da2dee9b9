"""Finds how to run a published implementation: from the commands in the record, else from its files."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assay.benchmarks.expbench.imports import search_folders
from assay.benchmarks.expbench.papers import DATA
from assay.benchmarks.expbench.paths import inside, references
from assay.benchmarks.expbench.records import Record
from assay.workspace.notebooks import notebook_script

RUNNER = "run_commands.py"
SCRIPT = "reproduce.sh"
USAGE = "usage_example.py"
_FENCE = re.compile(r"```[ \t]*(\w*)[^\n]*\n(.*?)```", re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`|(?<!\w)'((?:python3?|bash|sh) [^'\n]+)'")
_LINE = re.compile(r"^\s*(?:[-*\d.)]+\s+)?((?:[A-Z_]+=\S+ )*(?:/\S*/)?(?:python3?|bash|sh|torchrun) \S.*)$")
_STARTS = re.compile(r"^(?:[A-Z_]+=\S+ )*(?:/\S*/)?(?:python3?|bash|sh|torchrun) \S")
_PLACEHOLDER = re.compile(
    r"<[^>]+>|path/to|your[-_ ]|\.\.\.|\[[^\]]*\]|\{[^}]*\}|\$\w|\$\{|xxx", re.IGNORECASE
)
_NOTEBOOK_SCRIPT = ".notebook.py"
_SOURCES = (".py", ".sh", ".ipynb")
_FILE = re.compile(r"^[\w./-]+\.(?:py|sh|ipynb)$")


@dataclass(frozen=True)
class Runnable:
    """The commands that reproduce a published experiment, or why there are none."""

    commands: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Scripts that were made from notebooks, or from the example in the record."""
    search: tuple[str, ...] = ()
    """Folders, besides the root, in which Python must search for the repository's own modules."""
    reason: str | None = None
    """Why there is no command."""

    def script(self) -> dict[str, bytes]:
        """Return `reproduce.sh` with all files that it needs."""
        commands = " \\\n  ".join(shlex.quote(command) for command in self.commands)
        places = ":".join(["$PWD", *(f"$PWD/{folder}" for folder in self.search)])
        lines = [
            "#!/bin/bash",
            "set -eu",
            'cd "$(dirname "$0")"',
            f'export PYTHONPATH="{places}" MPLBACKEND=Agg',
            f"exec python {RUNNER} \\",
            f"  {commands}",
            "",
        ]
        return {
            **self.files,
            SCRIPT: "\n".join(lines).encode(),
            RUNNER: (DATA / RUNNER).read_bytes(),
        }

    def entries(self, tree: Mapping[str, bytes]) -> list[str]:
        """Return the files of the repository that the commands start: a notebook, not its script."""
        paths = [path.replace(_NOTEBOOK_SCRIPT, ".ipynb") for path in self.files]
        for command in self.commands:
            paths += _candidates(command)
        return [path for path in dict.fromkeys(paths) if path in tree and path.endswith(_SOURCES)]


def find_runnable(record: Record, tree: Mapping[str, bytes]) -> Runnable:
    """Find the commands of a record's implementation in its complete repository."""
    runnable = _find(record, tree)
    scripts = {path: tree[path] for path in record.source if path in tree and path.endswith(".py")}
    return replace(runnable, search=tuple(search_folders({**scripts, **runnable.files}, tree)))


def _find(record: Record, tree: Mapping[str, bytes]) -> Runnable:
    if record.type == "T3":
        return Runnable(reason="no implementation was found when the task was made")
    stated_commands = [command for command in _stated_commands(record.usage) if _fits(command, tree)]
    named = {token for command in stated_commands for token in _files(command)}
    other_files = [path for path in record.source if path in tree and path.rpartition("/")[2] not in named]
    commands, files = _of_files(other_files, tree)
    if stated_commands or commands:
        return Runnable((*dict.fromkeys(stated_commands), *commands), files)
    example = _example(record.usage)
    if example is not None:
        return Runnable((f"python {USAGE}",), {USAGE: example})
    mentioned = [path for text in record.requirements for path in references(text) if path in tree]
    commands, files = _of_files(list(dict.fromkeys(mentioned)), tree)
    if commands:
        return Runnable(tuple(commands), files)
    missing = [path for path in record.source if path not in tree]
    absent = f", and {', '.join(missing)} does not exist at the pin" if missing else ""
    return Runnable(reason=f"nothing that the record names can be run as it is{absent}")


def _of_files(paths: Iterable[str], tree: Mapping[str, bytes]) -> tuple[list[str], dict[str, bytes]]:
    commands: list[str] = []
    files: dict[str, bytes] = {}
    for path in paths:
        if path.endswith(".ipynb"):
            script = notebook_script(tree[path])
            if script is not None:
                script_path = f"{path.removesuffix('.ipynb')}{_NOTEBOOK_SCRIPT}"
                files[script_path] = script
                commands.append(_in_its_folder(script_path))
        elif path.endswith(".sh"):
            commands.append(f"bash {shlex.quote(path)}")
        elif path.endswith(".py") and (prefix := _run_prefix(tree[path])):
            commands.append(f"{prefix} {shlex.quote(path)}")
    return commands, files


def _stated_commands(usage: str) -> Iterator[str]:
    """Yield every command in the text of a record, as it is run from the repository's root."""
    for language, block in _FENCE.findall(usage):
        if language.casefold() not in ("python", "py"):
            yield from _block(block.replace("\\\n", " ").splitlines())
    plain = _FENCE.sub("\n", usage)
    for span in _SPAN.findall(plain):
        text = (span[0] or span[1]).strip()
        if _STARTS.match(text):
            yield _normalise(text)
    for line in _SPAN.sub(" ", plain).splitlines():
        if match := _LINE.match(line):
            yield _normalise(match.group(1))


def _block(lines: Iterable[str]) -> Iterator[str]:
    folder = ""
    for line in lines:
        text = line.strip().removeprefix("$ ")
        if text.startswith("cd "):
            folder = inside(text[3:].strip()) if "/workspace" in text else text[3:].strip()
        elif _STARTS.match(text):
            command = _normalise(text)
            yield (
                f"cd {shlex.quote(folder)} && {command}" if folder not in ("", ".", "workspace") else command
            )


def _normalise(command: str) -> str:
    """Return a command without the authors' folders, with the interpreter's plain name."""
    command = re.sub(r"(?<![\w.])/workspace/", "", " ".join(command.split("#")[0].split()))
    return re.sub(r"^((?:[A-Z_]+=\S+ )*)(?:/\S*/)?python3?(?= )", r"\1python", command).rstrip(".,;:")


def _fits(command: str, tree: Mapping[str, bytes]) -> bool:
    """Whether a command is complete and runs a file or module of the repository."""
    if _PLACEHOLDER.search(command):
        return False
    return any(path in tree for path in _candidates(command))


def _candidates(command: str) -> list[str]:
    """Return the paths that a command may start; empty if it is no readable command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    folder = f"{words[1].strip('/')}/" if words[:1] == ["cd"] and len(words) > 2 else ""
    paths = [folder + word.removeprefix("./") for word in words]
    if "-m" in words and words.index("-m") + 1 < len(words):
        module = folder + words[words.index("-m") + 1].replace(".", "/")
        paths += [f"{module}.py", f"{module}/__main__.py"]
    return paths


def _files(command: str) -> list[str]:
    """Return the names, without folders, of the files that a command runs."""
    words = command.split()
    modules = [f"{words[at + 1].rpartition('.')[2]}.py" for at, word in enumerate(words[:-1]) if word == "-m"]
    return [word.rpartition("/")[2] for word in words if _FILE.match(word)] + modules


def _run_prefix(source: bytes) -> str | None:
    """Return how to run a Python file: as a script or with a test runner; None if it only defines things."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    modules = {
        (alias.asname or alias.name).partition(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    if any(map(_is_main, tree.body)):
        return "python"
    if any(isinstance(node, ast.ClassDef) and _is_test_case(node) for node in tree.body):
        return "python -m unittest"
    if any(_acts(node, modules) for node in tree.body):
        return "python"
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return "python -m pytest -q" if any(name.startswith("test_") for name in functions) else None


def _acts(node: ast.stmt, modules: set[str]) -> bool:
    """Whether a top-level statement does work; a call of an imported module's function is only set-up."""
    match node:
        case ast.Expr(value=ast.Call(func=called)):
            while isinstance(called, ast.Attribute | ast.Call):
                called = called.value if isinstance(called, ast.Attribute) else called.func
            return not (isinstance(called, ast.Name) and called.id in modules)
        case ast.For() | ast.While() | ast.With():
            return True
        case _:
            return False


def _is_main(node: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__"`."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _is_test_case(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2] == "TestCase" for base in node.bases)


def _example(usage: str) -> bytes | None:
    """Return the Python blocks of a record as one script; None if they only define things."""
    blocks = [block for language, block in _FENCE.findall(usage) if language.casefold() in ("python", "py")]
    script = "\n".join(blocks).encode()
    return script if blocks and _run_prefix(script) == "python" else None


def _in_its_folder(path: str) -> str:
    folder, _, name = path.rpartition("/")
    run = f"python {shlex.quote(name)}"
    return f"cd {shlex.quote(folder)} && {run}" if folder else run
