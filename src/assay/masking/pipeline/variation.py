"""Hidden variations: another seed, argument, variable or data, wherever the run lets one in."""

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
    """What was asked for, else a seed that the command or the code shows; and the files behind data.

    Where the run takes a seed, a fresh one is drawn at each grading beside it: no stored number tells that.
    """
    variations = []
    data: dict[str, Path] = {}
    for number, text in enumerate(vary):
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise TaskError("--vary", f"{text!r} is not seed=NUMBER, data=FILE or VARIABLE=VALUE")
        variations.append(_asked(name, value, number, command))
        if name == "data":
            data[variations[-1].name] = _existing(Path(value))
    for number, text in enumerate(arguments):
        variations.append(
            Variation(name=f"other-arguments-{number + 1}", command=with_argument(command, text))
        )
    fresh = _fresh(repository, command, vary, arguments)
    return (variations or _shown(repository, command)) + fresh, data


def _fresh(
    repository: Repository, command: str, vary: Sequence[str], arguments: Sequence[str]
) -> list[Variation]:
    """A variation whose seed is drawn at grading, where the run takes one."""
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
    asked = any(text.startswith("seed=") for text in vary)
    return [Variation(name="fresh-seed", fresh=True)] if asked or _reads_seed(repository) else []


def _reads_seed(repository: Repository) -> bool:
    return any(b"ASSAY_SEED" in data for data in repository.python_files.values())


def with_argument(command: str, argument: str) -> str:
    """The command with this option's value put in place of its own, or added at the end."""
    option, equals, value = argument.partition("=")
    if not equals:
        return f"{command} {argument}"
    pattern = re.compile(rf"(?<!\S){re.escape(option)}(=|\s+)(\"[^\"]*\"|'[^']*'|\S+)")
    if pattern.search(command):
        return pattern.sub(lambda match: f"{option}{match.group(1)}{shlex.quote(value)}", command)
    return f"{command} {option}={shlex.quote(value)}"


def _asked(name: str, value: str, number: int, command: str) -> Variation:
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


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise TaskError("--vary", f"data={str(path)!r} is no file")
    return path.resolve()


def _shown(repository: Repository, command: str) -> list[Variation]:
    """A seed among the command's arguments, or one that the code reads from ASSAY_SEED."""
    if _SEED_ARGUMENT.search(command):
        varied = _SEED_ARGUMENT.sub(lambda match: f"{match.group(1)}{int(match.group(2)) + SEED}", command)
        return [Variation(name="other-seed", command=varied)]
    if _reads_seed(repository):
        return [Variation(name="other-seed", seed=SEED)]
    return []
