"""The command line, verb by verb, from the Typer application itself."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer


def command_reference(_: str) -> str:
    """Every verb: how it is called, what it does, its arguments and options."""
    from assay.cli import app

    group = typer.main.get_command(app)
    sections: dict[object, str] = {}
    for name, command in verbs(group):
        # A verb may also stand in a group (`assay task new`); the shortest name comes first.
        sections.setdefault(inspect.unwrap(command.callback), _command_section(name, command))
    return "\n\n".join(sections.values())


def verbs(group: Any, prefix: str = "assay") -> Iterator[tuple[str, Any]]:
    """Every command with its full name, those of groups last; hidden ones are left out."""
    visible = {name: command for name, command in group.commands.items() if not command.hidden}
    yield from ((f"{prefix} {name}", command) for name, command in visible.items() if not _is_group(command))
    for name, command in visible.items():
        if _is_group(command):
            if command.invoke_without_command:
                yield f"{prefix} {name}", command
            yield from verbs(command, f"{prefix} {name}")


def _is_group(command: Any) -> bool:
    return hasattr(command, "commands")


def _command_section(name: str, command: Any) -> str:
    context = typer.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    parts = [f"## {name}", f"```text\n{usage}\n```", _paragraphs(command.help or "")]
    rows = [record for record in (param.get_help_record(context) for param in command.params) if record]
    if rows:
        lines = ["| argument or option | meaning |", "|---|---|"]
        lines += [f"| `{_cell(left)}` | {_cell(_escaped(right))} |" for left, right in rows]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _paragraphs(text: str) -> str:
    """Help text; lines that Typer keeps as they are (marked with \\b) become a code block."""
    blocks = []
    for block in inspect.cleandoc(text).split("\n\n"):
        verbatim = block.startswith("\b")
        body = block.lstrip("\b\n")
        blocks.append(f"```text\n{body}\n```" if verbatim else _escaped(body))
    return "\n\n".join(blocks)


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
