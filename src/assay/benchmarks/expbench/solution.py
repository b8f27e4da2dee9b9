"""How a published implementation is run: from the commands that the record tells, else from its files."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assay.benchmarks.expbench.imports import search_folders
from assay.benchmarks.expbench.papers import DATA
from assay.benchmarks.expbench.paths import inside, references
from assay.benchmarks.expbench.records import Record

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
_FILE = re.compile(r"^[\w./-]+\.(?:py|sh|ipynb)$")


@dataclass(frozen=True)
class Runnable:
    """What reproduces a published experiment, or why nothing does."""

    commands: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Scripts that had to be made: of notebooks, or of the example that the record tells."""
    search: tuple[str, ...] = ()
    """Folders in which Python must look for the repository's own modules, beside the root."""
    reason: str | None = None
    """Why there is no command."""

    def script(self) -> dict[str, bytes]:
        """`reproduce.sh` with all that it needs."""
        told = " \\\n  ".join(shlex.quote(command) for command in self.commands)
        places = ":".join(["$PWD", *(f"$PWD/{folder}" for folder in self.search)])
        lines = [
            "#!/bin/bash",
            "set -eu",
            'cd "$(dirname "$0")"',
            f'export PYTHONPATH="{places}" MPLBACKEND=Agg',
            f"exec python {RUNNER} \\",
            f"  {told}",
            "",
        ]
        return {
            **self.files,
            SCRIPT: "\n".join(lines).encode(),
            RUNNER: (DATA / RUNNER).read_bytes(),
        }


def find_runnable(record: Record, tree: Mapping[str, bytes]) -> Runnable:
    """The commands of a record's implementation in its whole repository."""
    found = _find(record, tree)
    scripts = {path: tree[path] for path in record.source if path in tree and path.endswith(".py")}
    return replace(found, search=tuple(search_folders({**scripts, **found.files}, tree)))


def _find(record: Record, tree: Mapping[str, bytes]) -> Runnable:
    if record.type == "T3":
        return Runnable(reason="no implementation was found when the task was made")
    told = [command for command in _told(record.usage) if _fits(command, tree)]
    named = {token for command in told for token in _files(command)}
    rest = [path for path in record.source if path in tree and path.rpartition("/")[2] not in named]
    commands, files = _of_files(rest, tree)
    if told or commands:
        return Runnable((*dict.fromkeys(told), *commands), files)
    example = _example(record.usage)
    if example is not None:
        return Runnable((f"python {USAGE}",), {USAGE: example})
    mentioned = [path for text in record.requirements for path in references(text) if path in tree]
    commands, files = _of_files(list(dict.fromkeys(mentioned)), tree)
    if commands:
        return Runnable(tuple(commands), files)
    missing = [path for path in record.source if path not in tree]
    gone = f", and {', '.join(missing)} does not exist at the pin" if missing else ""
    return Runnable(reason=f"nothing that the record names can be run as it is{gone}")


def _of_files(paths: Iterable[str], tree: Mapping[str, bytes]) -> tuple[list[str], dict[str, bytes]]:
    commands: list[str] = []
    files: dict[str, bytes] = {}
    for path in paths:
        if path.endswith(".ipynb"):
            made = notebook_script(tree[path])
            if made is not None:
                script = f"{path.removesuffix('.ipynb')}.notebook.py"
                files[script] = made
                commands.append(_in_its_folder(script))
        elif path.endswith(".sh"):
            commands.append(f"bash {shlex.quote(path)}")
        elif path.endswith(".py") and (how := _how(tree[path])):
            commands.append(f"{how} {shlex.quote(path)}")
    return commands, files


def notebook_script(notebook: bytes) -> bytes | None:
    """The code cells of a notebook as one script; magics and shell lines are commented out."""
    try:
        cells = json.loads(notebook)["cells"]
        sources = [each.get("source", "") for each in cells if each.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    parts = ["".join(each) if isinstance(each, list) else str(each) for each in sources]
    lines = [
        re.sub(r"^(\s*)([%!?].*)$", r"\1pass  # \2", line) for part in parts for line in part.splitlines()
    ]
    head = ["display = print", ""] if any("display(" in line for line in lines) else []
    return "\n".join([*head, *lines, ""]).encode()


def _told(usage: str) -> Iterator[str]:
    """Every command that the words of a record tell, as it is run from the repository's root."""
    for language, block in _FENCE.findall(usage):
        if language.casefold() not in ("python", "py"):
            yield from _block(block.replace("\\\n", " ").splitlines())
    plain = _FENCE.sub("\n", usage)
    for span in _SPAN.findall(plain):
        text = (span[0] or span[1]).strip()
        if _STARTS.match(text):
            yield _normal(text)
    for line in _SPAN.sub(" ", plain).splitlines():
        if found := _LINE.match(line):
            yield _normal(found.group(1))


def _block(lines: Iterable[str]) -> Iterator[str]:
    folder = ""
    for line in lines:
        text = line.strip().removeprefix("$ ")
        if text.startswith("cd "):
            folder = inside(text[3:].strip()) if "/workspace" in text else text[3:].strip()
        elif _STARTS.match(text):
            command = _normal(text)
            yield (
                f"cd {shlex.quote(folder)} && {command}" if folder not in ("", ".", "workspace") else command
            )


def _normal(command: str) -> str:
    """A command without the authors' folders, its interpreter by name."""
    command = re.sub(r"(?<![\w.])/workspace/", "", " ".join(command.split("#")[0].split()))
    return re.sub(r"^((?:[A-Z_]+=\S+ )*)(?:/\S*/)?python3?(?= )", r"\1python", command).rstrip(".,;:")


def _fits(command: str, tree: Mapping[str, bytes]) -> bool:
    """Whether a command is whole and runs a file or module of the repository."""
    if _PLACEHOLDER.search(command):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    folder = f"{words[1].strip('/')}/" if words[:1] == ["cd"] and len(words) > 2 else ""
    paths = [folder + word.removeprefix("./") for word in words]
    if "-m" in words and words.index("-m") + 1 < len(words):
        module = folder + words[words.index("-m") + 1].replace(".", "/")
        paths += [f"{module}.py", f"{module}/__main__.py"]
    return any(path in tree for path in paths)


def _files(command: str) -> list[str]:
    """The last names of the files that a command runs."""
    words = command.split()
    modules = [f"{words[at + 1].rpartition('.')[2]}.py" for at, word in enumerate(words[:-1]) if word == "-m"]
    return [word.rpartition("/")[2] for word in words if _FILE.match(word)] + modules


def _how(source: bytes) -> str | None:
    """How a Python file is run: as a script, by a test runner, or not at all since it only defines."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    modules = {
        (each.asname or each.name).partition(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import)
        for each in node.names
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
    """Whether a statement at the top of a file does something; a call of a module sets something up."""
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
    """Whether it is `if __name__ == "__main__"`."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _is_test_case(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2] == "TestCase" for base in node.bases)


def _example(usage: str) -> bytes | None:
    """The Python blocks of a record as one script, if they act."""
    blocks = [block for language, block in _FENCE.findall(usage) if language.casefold() in ("python", "py")]
    script = "\n".join(blocks).encode()
    return script if blocks and _how(script) == "python" else None


def _in_its_folder(path: str) -> str:
    folder, _, name = path.rpartition("/")
    run = f"python {shlex.quote(name)}"
    return f"cd {shlex.quote(folder)} && {run}" if folder else run
