"""Finds the commands that run a repository's experiments: README, CI, shell scripts, scripts, notebooks."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Literal

import yaml

from assay.curation.evidence import EvidencePlace, quoted
from assay.grading.execution_trace import parse
from assay.tasks.metric import Strict

Origin = Literal["readme", "ci", "shell", "script", "notebook", "test", "model"]
_BLOCK = re.compile(r"^(```+|~~~+)[ \t]*(\w*)[^\n]*\n(.*?)^\1", re.DOTALL | re.MULTILINE)
_SHELL_BLOCKS = ("", "bash", "sh", "shell", "console", "zsh", "shellsession", "text")
_STARTS = re.compile(r"(?:[A-Z_]+=\S+\s+)*(?:python3?|bash|sh|make|\./[\w./-]+\.(?:sh|py))\b")
_PLACEHOLDER = re.compile(r"<<|/path/to|<[\w -]+>|\byour[_-]|\.\.\.|…|\{[\w-]+\}|\$\{?\w|XXX|~/")
_NOT_RUN = re.compile(
    r"-m (?:pip|venv|build|twine|http|unittest|pytest|black|flake8|ruff|mypy)|pip3? install|setup\.py|conda "
    r"|git clone|manage\.py|--(?:version|help)\b|python[\d.]* (?:[<>=~]|-c )"
)
_TEST = re.compile(r"(?:^|/)(?:tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)")
_NO_EXPERIMENT = re.compile(
    r"(?:^|/)(?:setup|conf|conftest|__init__|__main__|versioneer|noxfile|fabfile|tasks)\.py$"
)
_LIKELY = re.compile(
    r"exp|eval|bench|run|main|sim|repro|result|table|fig|train|test|valid|demo|compare|ablat", re.I
)
_MAY_RUN = re.compile(
    r"^(?:if|for|while|with)\b|^(?!(?:def|class|async|import|from|assert|raise|del|elif|except)\b)[A-Za-z_][^\s=(]*\(",
    re.MULTILINE,
)
"""A line without which a file does nothing when it is run: it is slow to parse each file of a repository."""
MOST_COMMANDS = 60
LONGEST_PROPOSED = 300


class FoundCommand(Strict):
    """One command that may run an experiment."""

    id: str
    """A short name for files."""
    command: str
    """As bash runs it."""
    folder: str = ""
    """The folder of the repository in which it runs; empty for the top."""
    origin: Origin
    place: EvidencePlace
    script: str = ""
    """The Python file that it starts, if it is in the repository."""


def find_commands(files: Mapping[str, bytes]) -> list[FoundCommand]:
    """Return the commands of a repository: what its authors wrote first, then what its files suggest."""
    by_words: dict[tuple[str, str], FoundCommand] = {}
    for command in (*_from_documents(files), *_from_workflows(files), *_from_files(files)):
        by_words.setdefault((command.folder, command.command), command)
    named_scripts = {command.script for command in by_words.values() if command.origin in ("readme", "ci")}
    commands = [
        command
        for command in by_words.values()
        if command.origin in ("readme", "ci") or not command.script or command.script not in named_scripts
    ]
    return [
        command.model_copy(update={"id": command_id(f"{number:02d}", command)})
        for number, command in enumerate(commands, 1)
    ][:MOST_COMMANDS]


def command_id(number: str, command: FoundCommand) -> str:
    """Return a short name of a command for files."""
    name = PurePosixPath(command.script or command.command.split()[-1]).stem
    return f"{number}-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower()[:30] or 'command'}"


def _from_documents(files: Mapping[str, bytes]) -> Iterator[FoundCommand]:
    documents = [
        path for path in files if path.lower().endswith((".md", ".rst", ".txt")) and path.count("/") <= 2
    ]
    documents.sort(
        key=lambda path: (not PurePosixPath(path).name.lower().startswith("readme"), path.count("/"), path)
    )
    for path in documents:
        text = files[path].decode(errors="replace")
        for match in _BLOCK.finditer(text):
            if match.group(2).lower() in _SHELL_BLOCKS:
                line = text.count("\n", 0, match.start(3)) + 1
                yield from _from_shell(match.group(3), path, line, "readme", files)


def _from_shell(
    text: str, path: str, first_line: int, origin: Origin, files: Mapping[str, bytes]
) -> Iterator[FoundCommand]:
    """Yield the commands of some shell lines; `cd` changes the folder of the following ones."""
    parent = PurePosixPath(path).parent.as_posix()
    folder = "" if parent == "." or origin == "ci" else parent
    joined = re.sub(r"\\\n\s*", lambda match: " " * len(match.group()), text)
    line = first_line
    for raw_line in joined.split("\n"):
        plain = re.sub(r"^\s*(?:\$|>|%)\s+", "", raw_line).strip()
        plain = re.sub(r"\s+#.*$", "", plain)
        for part in plain.split("&&"):
            words = part.strip()
            change = re.fullmatch(r"cd\s+([\w./-]+)", words)
            if change:
                folder = _resolved(folder, change.group(1), files)
            elif _STARTS.match(words) and not _PLACEHOLDER.search(words) and not _NOT_RUN.search(words):
                place = EvidencePlace(kind="code", file=path, line=line, text=quoted(words))
                yield _command(" ".join(words.split()), folder, origin, place, files)
        line += 1


def _resolved(folder: str, change: str, files: Mapping[str, bytes]) -> str:
    """The folder after `cd`; a name that is not there is the repository's own."""
    for base in (folder, ""):
        parts = [part for part in PurePosixPath(base, change).parts if part != "."]
        while ".." in parts:
            position = parts.index("..")
            parts = parts[: max(0, position - 1)] + parts[position + 1 :]
        target = "/".join(parts)
        if any(path.startswith(f"{target}/") for path in files):
            return target
    return ""


def _command(
    command: str, folder: str, origin: Origin, place: EvidencePlace, files: Mapping[str, bytes]
) -> FoundCommand:
    script = ""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for word in words:
        if word.endswith(".py"):
            for base in (folder, ""):
                candidate = PurePosixPath(base, word.removeprefix("./")).as_posix()
                if candidate in files:
                    script, folder = candidate, base
                    break
            break
    if "-m" in words[:-1]:
        module = words[words.index("-m") + 1].replace(".", "/")
        script = next((path for path in (f"{module}.py", f"{module}/__main__.py") if path in files), "")
    return FoundCommand(id="", command=command, folder=folder, origin=origin, place=place, script=script)


def proposed_command(
    words: str, folder: str, place: EvidencePlace, files: Mapping[str, bytes]
) -> FoundCommand | None:
    """Return a command that a model proposes; None if it starts no script of the repository."""
    plain = " ".join(words.split())
    if len(plain) > LONGEST_PROPOSED or not _STARTS.match(plain):
        return None
    if _PLACEHOLDER.search(plain) or _NOT_RUN.search(plain) or re.search(r"[;&|<>`]", plain):
        return None
    command = _command(plain, _resolved("", folder, files) if folder else "", "model", place, files)
    return command if command.script else None


def _from_workflows(files: Mapping[str, bytes]) -> Iterator[FoundCommand]:
    for path in sorted(files):
        if not re.match(r"\.github/workflows/[^/]+\.ya?ml$", path):
            continue
        try:
            workflow = yaml.safe_load(files[path])
        except yaml.YAMLError:
            continue
        jobs = workflow.get("jobs") if isinstance(workflow, dict) else None
        for job in jobs.values() if isinstance(jobs, dict) else ():
            for step in job.get("steps") or () if isinstance(job, dict) else ():
                text = step.get("run") if isinstance(step, dict) else None
                if isinstance(text, str):
                    yield from _from_shell(text, path, 1, "ci", files)


def _from_files(files: Mapping[str, bytes]) -> Iterator[FoundCommand]:
    """Yield shell scripts, scripts with a main part, and notebooks, the likeliest names first."""
    likely_first = sorted(
        files, key=lambda path: (not _LIKELY.search(PurePosixPath(path).stem), path.count("/"), path)
    )
    for path in likely_first:
        name, parent = PurePosixPath(path).name, PurePosixPath(path).parent.as_posix()
        folder = "" if parent == "." else parent
        place = EvidencePlace(kind="code", file=path, line=1)
        if _NO_EXPERIMENT.search(path) or path.startswith((".", "docs/")):
            continue
        if path.endswith(".py") and runs_something(files[path].decode(errors="replace")):
            origin: Origin = "test" if _TEST.search(path) else "script"
            yield FoundCommand(
                id="", command=f"python {name}", folder=folder, origin=origin, place=place, script=path
            )
        elif (
            path.endswith((".sh", ".bash")) and b"sbatch" not in files[path] and b"#SBATCH" not in files[path]
        ):
            yield FoundCommand(id="", command=f"bash {name}", folder=folder, origin="shell", place=place)
        elif path.endswith(".ipynb"):
            yield FoundCommand(
                id="", command=f"python {name}", folder=folder, origin="notebook", place=place, script=path
            )


def runs_something(source: str) -> bool:
    """Whether a file does something when it is run: it has a main part, or calls at its top level."""
    tree = parse(source) if _MAY_RUN.search(source) else None
    if tree is None:
        return False
    for statement in tree.body:
        if isinstance(statement, ast.If) and "__name__" in ast.dump(statement.test):
            return True
        if isinstance(statement, ast.For | ast.While | ast.With):
            return True
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return True
    return False
