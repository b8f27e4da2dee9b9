"""Checks a command line without running it: its program, verb, options, choices and arguments exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import typer

from assay.cli import app

ROOT = Path(__file__).parents[2]

SHELL_WORDS = ("cd", "export", "echo", "cat", "mkdir", "ls", "test", "cp", "true")
OUTSIDE = (
    "docker",
    "kubectl",
    "ray",
    "sbatch",
    "squeue",
    "scancel",
    "git",
    "sudo",
    "apt-get",
    "curl",
    "tar",
    "open",
    "xdg-open",
    "source",
    "pipx",
    "printf",
)
"""Programs that are not ours; what they take is not checked."""

_ASSIGNMENT = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")


def form_errors(line: str) -> list[str]:
    """What is wrong with a line of shell; empty where nothing is."""
    try:
        words = shlex.shlex(line, posix=True, punctuation_chars=";&|")
        words.whitespace_split = True
        parts = _split(list(words))
    except ValueError as error:
        return [f"{line!r}: {error}"]
    return [error for part in parts for error in _program_errors(part)]


def inline_errors(command: str) -> list[str]:
    """What is wrong with a command in running text: its verb or an option does not exist."""
    words = shlex.split(command.replace("'", "").replace('"', ""))
    if words[1].isupper():
        return []
    try:
        verb, words_after = _find_verb(words[1:])
    except LookupError as error:
        return [f"`{command}`: {error}"]
    options = {option for param in verb.params for option in (*param.opts, *param.secondary_opts)}
    options |= {"--help", "-h", "--version"}
    used = [word.partition("=")[0] for word in words_after if word.startswith("--")]
    return [f"`{command}`: there is no option {option}" for option in used if option not in options]


def _split(words: list[str]) -> list[list[str]]:
    """The simple commands of a line."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word and set(word) <= set(";&|"):
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _program_errors(words: list[str]) -> list[str]:
    while words and _ASSIGNMENT.match(words[0]):
        words = words[1:]
    if not words:
        return []
    program, arguments = words[0], words[1:]
    if program == "assay":
        return _assay_errors(arguments)
    if program == "make":
        return [f"make has no target {word!r}" for word in arguments if word not in _make_targets()]
    if program in ("pip", "uv"):
        return _extra_errors(arguments)
    if program == "inspect":
        return [] if arguments[:1] in (["eval"], ["view"], ["score"]) else [f"inspect {arguments[:1]}"]
    if program.startswith(("scripts/", ".ci/")):
        return [] if (ROOT / program).is_file() else [f"there is no {program}"]
    if program in ("python", "python3", "bash") or program in SHELL_WORDS + OUTSIDE:
        return []
    return [f"{program!r} is no program that the docs test knows"]


def _assay_errors(arguments: list[str]) -> list[str]:
    try:
        verb, words_after = _find_verb(arguments)
        if words_after is not arguments or not words_after:
            verb.make_context("assay", [word for word in words_after if not word.startswith(">")])
    except LookupError as error:
        return [f"assay {shlex.join(arguments)}: {error}"]
    except (SystemExit, typer.Exit):
        return []
    except Exception as error:
        # Typer carries its own copy of click, so that its error classes have no public name.
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        missing_file = "does not exist" in message
        return [] if missing_file else [f"assay {shlex.join(arguments)}: {message}"]
    return []


def _find_verb(arguments: list[str]) -> tuple[Any, list[str]]:
    """The verb that the first words name, and the words after it."""
    command: Any = _command()
    words = arguments
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        context = typer.Context(command, info_name="assay")
        subcommand = command.get_command(context, words[0])
        if subcommand is None:
            raise LookupError(f"there is no verb {words[0]!r}")
        command, words = subcommand, words[1:]
    return command, words


@cache
def _command() -> Any:
    """All verbs; Typer takes tens of milliseconds to make them, and the pages have hundreds of commands."""
    return typer.main.get_command(app)


def _make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def _extra_errors(arguments: list[str]) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [match for word in arguments for match in re.findall(r"^(?:assay|\.)\[([\w,]+)\]", word)]
    extras = {extra for match in named for extra in match.split(",")}
    return [f"there is no extra {extra!r}" for extra in extras - set(project["optional-dependencies"])]
