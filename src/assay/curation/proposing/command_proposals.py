"""A model proposes commands that may run the paper's experiments; only a run shows whether they do."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from pydantic import BaseModel

from assay.curation.commands import FoundCommand, command_id, proposed_command, runs_something
from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.paper import PaperText
from assay.curation.proposing.asking import RULES, ModelAsker
from assay.grading.execution_trace import parse

MOST_PROPOSED = 4
_LONGEST_README = 6_000
_MOST_SCRIPTS = 40
_PROMPT = """A repository holds the experiments of a paper. Propose at most {most} shell commands that run an
experiment whose numbers are in a table of the paper. Each starts one Python script of the repository with the
arguments that it needs. Prefer commands that run in seconds on a CPU. {rules}
Form: {{"commands": [{{"command": "python scripts/a.py --n 5", "folder": "", "why": "a few words"}}]}}

Tables of the paper:
{tables}

Scripts, with their options:
{scripts}

Commands that are tried already:
{known}

README:
{readme}"""


class CommandIdea(BaseModel):
    """One proposed command."""

    command: str
    folder: str = ""
    why: str = ""


class CommandIdeas(BaseModel):
    """What the model must answer."""

    commands: list[CommandIdea]


def propose_commands(
    asker: ModelAsker, paper: PaperText, files: Mapping[str, bytes], known: Sequence[FoundCommand]
) -> list[FoundCommand]:
    """Return the commands that a model proposes and that rules did not find."""
    prompt = _PROMPT.format(
        most=MOST_PROPOSED,
        rules=RULES,
        tables="\n".join(f"- {table.caption[:200]}" for table in paper.tables[:20]) or "- none",
        scripts="\n".join(_script_lines(files)),
        known="\n".join(f"- {command.command}" for command in known[:30]) or "- none",
        readme=_readme(files)[:_LONGEST_README],
    )
    asker.announce("commands", [prompt])
    ideas = asker.ask(prompt, CommandIdeas)
    words = {(command.folder, command.command) for command in known}
    commands: list[FoundCommand] = []
    for idea in ideas.commands[:MOST_PROPOSED] if ideas is not None else ():
        place = EvidencePlace(kind="model", file=asker.choice.name, text=quoted(idea.why))
        command = proposed_command(idea.command, idea.folder, place, files)
        if command is not None and (command.folder, command.command) not in words:
            words.add((command.folder, command.command))
            number = f"m{len(commands) + 1}"
            commands.append(command.model_copy(update={"id": command_id(number, command)}))
    return commands


def _readme(files: Mapping[str, bytes]) -> str:
    names = [path for path in files if PurePosixPath(path).name.lower().startswith("readme")]
    names.sort(key=lambda path: (path.count("/"), path))
    return files[names[0]].decode(errors="replace") if names else "none"


def _script_lines(files: Mapping[str, bytes]) -> list[str]:
    """One line for each script: its path, what it says of itself, and its options."""
    lines = []
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        text = files[path].decode(errors="replace") if path.endswith(".py") else ""
        tree = parse(text) if text and runs_something(text) else None
        if tree is None:
            continue
        docstring = (ast.get_docstring(tree) or "").partition("\n")[0]
        options = [
            str(node.args[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "add_argument"
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ]
        lines.append(f"- {path}: {docstring[:120]} {' '.join(options[:15])}".rstrip(": "))
    return lines[:_MOST_SCRIPTS] or ["- none"]
