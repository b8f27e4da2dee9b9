"""Finds hidden variations: another seed, argument, variable or data, if the run accepts one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from assay.errors import TaskError
from assay.masking.pipeline.repository import Repository
from assay.tasks import Variation

SEED = 41
_SEED_ARGUMENT = re.compile(r"(?<!\S)((?:--?[\w-]*seed|seed)(?:=|\s+))(\d+)(?!\S)")


def find_variations(
    repository: Repository, command: str, vary: Sequence[str], arguments: Sequence[str]
) -> tuple[list[Variation], dict[str, Path]]:
    """Return the requested variations, else a seed of the command or the code; and the data files.

    If the run takes a seed, each grading also draws a fresh one, whose results are stored nowhere.
    """
    variations = []
    data: dict[str, Path] = {}
    for number, text in enumerate(vary):
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise TaskError("--vary", f"{text!r} is not seed=NUMBER, data=FILE or VARIABLE=VALUE")
        variations.append(_requested_variation(name, value, number, command))
        if name == "data":
            data[variations[-1].name] = _require_file(Path(value))
    for number, text in enumerate(arguments):
        variations.append(
            Variation(name=f"other-arguments-{number + 1}", command=with_argument(command, text))
        )
    fresh = _fresh_seed_variations(repository, command, vary, arguments)
    return (variations or _default_variations(repository, command)) + fresh, data


def _fresh_seed_variations(
    repository: Repository, command: str, vary: Sequence[str], arguments: Sequence[str]
) -> list[Variation]:
    """Return a variation whose seed is drawn at grading, if the run takes one."""
    varied = None
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if equals and value.isdecimal() and "seed" in option.lower():
            varied = with_argument(command, f"{option}={{seed}}").replace("'{seed}'", "{seed}")
    for name, _, value in (text.partition("=") for text in vary):
        if value.isdecimal() and "seed" in name.lower() and name != "seed":
            varied = f"export {name}={{seed}}; {command}"
    if _SEED_ARGUMENT.search(command):
        varied = _SEED_ARGUMENT.sub(lambda match: f"{match.group(1)}{{seed}}", command)
    if varied is not None:
        return [Variation(name="fresh-seed", fresh=True, command=varied)]
    is_requested = any(text.startswith("seed=") for text in vary)
    return [Variation(name="fresh-seed", fresh=True)] if is_requested or _reads_seed(repository) else []


def _reads_seed(repository: Repository) -> bool:
    return any(b"ASSAY_SEED" in data for data in repository.python_files.values())


def with_argument(command: str, argument: str) -> str:
    """Return the command with this option's value replaced, or added at the end."""
    option, equals, value = argument.partition("=")
    if not equals:
        return f"{command} {argument}"
    pattern = re.compile(rf"(?<!\S){re.escape(option)}(=|\s+)(\"[^\"]*\"|'[^']*'|\S+)")
    if pattern.search(command):
        return pattern.sub(lambda match: f"{option}{match.group(1)}{shlex.quote(value)}", command)
    return f"{command} {option}={shlex.quote(value)}"


def _requested_variation(name: str, value: str, number: int, command: str) -> Variation:
    if name == "seed":
        if not value.isdecimal():
            raise TaskError("--vary", f"seed={value!r} is no number")
        return Variation(name=f"other-seed-{number + 1}", seed=int(value))
    if name == "data":
        return Variation(name=f"other-data-{number + 1}", data=f"data/{Path(value).name}")
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise TaskError("--vary", f"{name!r} is no name of an environment variable")
    return Variation(
        name=f"other-{name.lower().replace('_', '-').strip('-')}-{number + 1}",
        command=f"export {name}={shlex.quote(value)}; {command}",
    )


def _require_file(path: Path) -> Path:
    if not path.is_file():
        raise TaskError("--vary", f"data={str(path)!r} is no file")
    return path.resolve()


def _default_variations(repository: Repository, command: str) -> list[Variation]:
    """Return a variation of the seed in the command, or of ASSAY_SEED if the code reads it."""
    if _SEED_ARGUMENT.search(command):
        varied = _SEED_ARGUMENT.sub(lambda match: f"{match.group(1)}{int(match.group(2)) + SEED}", command)
        return [Variation(name="other-seed", command=varied)]
    if _reads_seed(repository):
        return [Variation(name="other-seed", seed=SEED)]
    return []
