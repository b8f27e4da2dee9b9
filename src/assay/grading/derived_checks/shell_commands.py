"""The Python programs that a shell script starts, and the options that it gives them.

What it does not cover: variables that are computed, functions, and quoting beyond what `shlex` reads. A word
with an unknown variable has no value.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?(\w+)=(\S*)\s*$")
_LOOP = re.compile(r"^\s*for\s+(\w+)\s+in\s+([^;$`]+?)\s*(?:;|$)")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_STARTS = re.compile(r"^(?:\w+=\S+\s+)*(?:\S*/)?(python[\d.]*|torchrun)$")
FLAG = "true"
"""The value of an option that has none."""


@dataclass(frozen=True)
class WrittenProgram:
    """One program that a script starts."""

    target: str
    """A file, or `-m MODULE`."""
    options: dict[str, list[str]]
    """Option without dashes → its values."""
    is_part: bool = False
    """Whether only some lines of the command were asked for: then the options are those of these lines."""


def programs_of(text: str, first: int = 1, last: int | None = None) -> Iterator[WrittenProgram]:
    """Yield the programs of the commands that begin or end within some lines of a script."""
    lines = text.splitlines()
    values: dict[str, list[str]] = {}
    number = 0
    while number < len(lines):
        start = number + 1
        command = lines[number]
        while command.rstrip().endswith("\\") and number + 1 < len(lines):
            number += 1
            command = command.rstrip()[:-1] + " " + lines[number]
        number += 1
        if match := _ASSIGNMENT.match(command):
            values.setdefault(match[1], []).append(match[2].strip("'\""))
        elif match := _LOOP.match(command):
            values.setdefault(match[1], []).extend(match[2].split())
        if start <= (last or len(lines)) and number >= first:
            program = _program(command, values)
            if program is not None and first > start:
                shown = " ".join(
                    line.rstrip().removesuffix("\\")
                    for line in lines[first - 1 : min(last or number, number)]
                )
                program = WrittenProgram(program.target, options_of(_words(shown), values), is_part=True)
            if program is not None:
                yield program


def _words(command: str) -> list[str]:
    """The words of a command up to its end."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return []
    ends = [place for place, word in enumerate(words) if word in (";", "&&", "||", "|", "&") or ">" in word]
    return words[: ends[0]] if ends else words


def _program(command: str, values: Mapping[str, list[str]]) -> WrittenProgram | None:
    words = _words(command)
    starts = [place for place, word in enumerate(words) if _STARTS.match(word)]
    if not starts:
        return None
    words = words[starts[0] + 1 :]
    while words and words[0].startswith("-") and words[0] != "-m":
        words = words[1:]
    if not words or (words[0] == "-m" and len(words) < 2):
        return None
    target, rest = (f"-m {words[1]}", words[2:]) if words[0] == "-m" else (words[0], words[1:])
    return WrittenProgram(target.removeprefix("./"), options_of(rest, values))


def options_of(
    words: Sequence[str], variables: Mapping[str, list[str]] | None = None
) -> dict[str, list[str]]:
    """Option without dashes → its values, each with what its variables stand for."""
    options: dict[str, list[str]] = {}
    valued: set[str] = set()
    name = ""
    for word in words:
        if re.match(r"--?[A-Za-z]", word) or (not name and re.match(r"[\w.@+~]+=", word)):
            option, equals, value = word.lstrip("-").partition("=")
            options.setdefault(option, [])
            name = option if word.startswith("-") else ""
            if not equals:
                continue
            word = value
        else:
            option = name
        if option:
            valued.add(option)
            options[option] += expand(word, variables or {})
    flags = {option: [FLAG] for option in options if option not in valued}
    return {option: values for option, values in options.items() if values} | flags


def expand(word: str, variables: Mapping[str, list[str]]) -> list[str]:
    """The values of a word; none where it has an unknown variable or several that change."""
    names = _VARIABLE.findall(word)
    if not names:
        return [] if "$" in word or "`" in word else [word]
    if any(name not in variables for name in names) or len(set(names)) > 1:
        return []
    return [
        _VARIABLE.sub(value.replace("\\", r"\\"), word) for value in variables[names[0]] if "$" not in value
    ]
