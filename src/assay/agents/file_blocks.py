"""Reads the files of a model's answer: fenced blocks with a path, in the forms that models write.

A block gets its path from the line before it, from its fence or from its first line. A block without a path
is an example, not a file. What can be read in two ways is not guessed: the model is told why.

A model writes the answer, so the time must not grow faster than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import PurePosixPath

from assay.agents.diff_blocks import MAX_HUNKS, BlockRefused, apply_diff
from assay.tasks.files import check_path

LONGEST_ANSWER = 1 << 20
"""Characters; other attempts wait while an answer is read, and no model writes as much."""
MAX_FENCES = 10_000
"""Lines that begin or end a block: each block costs many times what its characters do."""
LONGEST_LINE = 1_000
"""A longer line names no file."""
MAX_PROBLEMS = 10
STATED = "FILE:"
_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_AROUND_PATH = "*`\"'<>“”‘’ \t\r\xa0\u200b\ufeff"
_BEFORE_STATED = "#>*`\"'<-+.)0123456789 \t\xa0"
"""What may stand before `FILE:` in a heading, a list or a quotation."""
_LABEL = re.compile(r"(?:file ?name|file ?path|file|path)[ \t]*:[ \t]*", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,3}[.)][ \t]+")
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_COMMENT = re.compile(
    r"(?:#|//|--|;|%|/\*|<!--)[ \t]*(?:(?:file|filename|path):[ \t]*)?`?([^\s`]+)`?[ \t]*(?:\*/|-->)?",
    re.IGNORECASE,
)
_SETTING = re.compile(r"(?:file|filename|path|title|name)=")
_ENDING = re.compile(
    r"\.(?:bash|cc?|cfg|cpp|css|csv|cuh?|go|h|hpp|html|ini?|ipynb|java|jl|js|json|lua|md|mk|pl|py|pyi|pyx|r|rs|"
    r"rst|sh|sql|tex|toml|ts|tsv|txt|xml|ya?ml)",
    re.IGNORECASE,
)
"""A new file is recognized by its ending: `numpy.linalg` is no file."""
_DIFFS = ("diff", "patch", "udiff")
_MARKDOWN = (".md", ".markdown", ".rst")
_PYTHON = (".py", ".pyi", ".pyx", ".ipy")


@dataclass
class AnswerFiles:
    """The files of an answer, and why some of its blocks could not be read."""

    files: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Block:
    """One fenced block, the last line before it that is not empty, and its content."""

    before: str
    indent: str
    """The blanks before its fence, as in a list."""
    info: str
    lines: Sequence[str]
    has_end: bool
    has_fence: bool
    """True if a fence that opens a block is inside, so that the end is not certain."""


def read_answer(answer: str, workspace: Mapping[str, bytes]) -> AnswerFiles:
    """Return the files of an answer; `workspace` has the files that are there."""
    lines = answer[: LONGEST_ANSWER + 1].split("\n")
    if reason := _why_too_much(len(answer), lines):
        return AnswerFiles(problems=[reason])
    result = AnswerFiles()
    versions: dict[str, set[str]] = {}
    blocks = list(_blocks(lines, result.problems))
    for block, following in zip_longest(blocks, blocks[1:]):
        try:
            files = _files_of(block, workspace)
            _check_end(files, following, workspace)
        except BlockRefused as refusal:
            result.problems.append(str(refusal))
            continue
        for path, text in files.items():
            versions.setdefault(path, set()).add(text)
    for path, texts in versions.items():
        if len(texts) == 1:
            result.files[path] = texts.pop()
        else:
            result.problems.append(f"{len(texts)} blocks give `{path}` different contents")
    result.problems = list(dict.fromkeys(result.problems))[:MAX_PROBLEMS]
    return result


def _why_too_much(length: int, lines: Sequence[str]) -> str | None:
    """Why an answer is not read at all; None if it is."""
    if length > LONGEST_ANSWER:
        return f"the answer has {length:,} characters, at most {LONGEST_ANSWER:,} are read: write less"
    hunks = sum(line.startswith("@@") for line in lines)
    if hunks > MAX_HUNKS:
        return f"the diffs have {hunks:,} hunks, more than {MAX_HUNKS}: write whole files"
    fences = sum(line.lstrip(" ").startswith(("```", "~~~")) for line in lines)
    if fences > MAX_FENCES:
        return f"the answer has {fences:,} lines with fences, at most {MAX_FENCES:,} are read: write less"
    return None


def _files_of(block: _Block, workspace: Mapping[str, bytes]) -> dict[str, str]:
    stated = _stated_path(block.before)
    path = stated or _unstated_path(block, workspace)
    language = block.info.split()[0].lower() if block.info.split() else ""
    is_diff = language in _DIFFS and not path.endswith(_DIFFS)
    name = f"the block of `{path}`" if path else "a block without a path"
    if not block.has_end:
        raise BlockRefused(f"{name} has no closing fence")
    if block.has_fence:
        raise BlockRefused(f"{name} contains another fence: close it before, or use a longer fence around it")
    if not path and not is_diff:
        if _is_file_line(block.before):
            raise BlockRefused(_unused(block.before))
        return {}
    lines = _without_indent(block, name)
    if is_diff:
        changed = apply_diff(lines, workspace, _inside(path) if path else "")
        return {_inside(name): text for name, text in changed.items()}
    if not stated and lines and _comment_path(lines[0], workspace):
        is_part_of_file = workspace.get(path, b"").startswith(lines[0].encode())
        lines = lines if is_part_of_file else lines[1:]
    return {_inside(path): "\n".join(lines) + "\n"}


def _without_indent(block: _Block, name: str) -> Sequence[str]:
    """Return the lines without the blanks that the fence has too."""
    if any(line.strip() and not line.startswith(block.indent) for line in block.lines):
        raise BlockRefused(f"{name} has lines with less indentation than its fence")
    return [line[len(block.indent) :] for line in block.lines] if block.indent else block.lines


def _check_end(files: Mapping[str, str], following: _Block | None, workspace: Mapping[str, bytes]) -> None:
    """Refuse files that perhaps go on after their block: the next fence may be their end, not a beginning."""
    if following is None or following.info or _is_named(following, workspace):
        return
    is_open = not following.has_end or following.has_fence or any(map(_is_file_line, following.lines))
    for path, text in files.items():
        in_string = path.endswith(_PYTHON) and any(text.count(quote) % 2 for quote in ("'''", '"""'))
        if is_open or in_string or path.endswith(_MARKDOWN):
            raise BlockRefused(
                f"the end of the block of `{path}` is not certain: use a longer fence around it, "
                "and give every later block without a path a language"
            )


def _blocks(lines: Sequence[str], problems: list[str]) -> Iterator[_Block]:
    """Yield all blocks, and report each `FILE:` line that no block follows.

    The end of a block is a line with only a fence that is as long as the first, or longer, and not indented
    more.
    """
    before, opening, start, has_fence = "", None, 0, False
    for place, line in enumerate(lines):
        fence = _FENCE.match(line)
        if opening is None:
            if fence is not None:
                opening, start, has_fence = fence, place + 1, False
            elif line.strip():
                _report_unused(before, problems)
                before = line
        elif fence is not None and _may_close(fence, opening):
            if fence[3].strip():
                has_fence = True
                continue
            yield _Block(before, opening[1], opening[3].strip(), lines[start:place], True, has_fence)
            before, opening = "", None
    if opening is not None:
        yield _Block(before, opening[1], opening[3].strip(), lines[start:], False, has_fence)
    else:
        _report_unused(before, problems)


def _may_close(fence: re.Match[str], opening: re.Match[str]) -> bool:
    return fence[2].startswith(opening[2]) and len(fence[1]) <= len(opening[1])


def _is_file_line(line: str) -> bool:
    return len(line) <= LONGEST_LINE and line.lstrip(_BEFORE_STATED).startswith(STATED)


def _unused(line: str) -> str:
    return (
        f"the line `{line.strip()[:100]}` names no file for a block: write only the path after `{STATED}`, "
        "and the fence on the next line"
    )


def _report_unused(line: str, problems: list[str]) -> None:
    if len(problems) < MAX_PROBLEMS and _is_file_line(line):
        problems.append(_unused(line))


def _stated_path(line: str) -> str:
    """Return the path after `FILE:` at the end of a line, the form that the agent asks for."""
    _, mark, text = line.rpartition(STATED) if len(line) <= LONGEST_LINE else ("", "", "")
    path = text.strip(_AROUND_PATH).rstrip(":,;").strip(_AROUND_PATH)
    return path if mark and len(path.split()) == 1 else ""


def _unstated_path(block: _Block, workspace: Mapping[str, bytes]) -> str:
    """Return the path that a block has in another form; places that disagree are refused."""
    names = sorted(_names_of(block, workspace), key=lambda name: (len(name), name))
    if not names:
        return ""
    path = names[-1]
    for name in names[:-1]:
        if not path.endswith(f"/{name}"):
            raise BlockRefused(f"a block has two paths, `{name}` and `{path}`")
    meant = [place for place in workspace if place.endswith(f"/{path}")]
    if path not in workspace and meant:
        raise BlockRefused(f"`{path}` is not in the workspace: write `FILE: {meant[0]}` or `FILE: {path}`")
    return path


def _names_of(block: _Block, workspace: Mapping[str, bytes]) -> set[str]:
    names = {_heading_path(block.before, workspace), _fence_path(block.info, workspace)}
    names.add(_comment_path(block.lines[0], workspace) if block.lines else "")
    return names - {""}


def _is_named(block: _Block, workspace: Mapping[str, bytes]) -> bool:
    return bool(_stated_path(block.before) or _names_of(block, workspace))


def _heading_path(line: str, workspace: Mapping[str, bytes]) -> str:
    """Return the path of a line with hardly anything else, such as a heading or a bold name."""
    if len(line) > LONGEST_LINE:
        return ""
    text = line.strip().lstrip("#").strip("*`: \t")
    for mark in (_NUMBER, _LABEL):
        marked = mark.match(text)
        text = text[marked.end() :].strip("*`: \t") if marked else text
    return _file_name(text, workspace)


def _fence_path(info: str, workspace: Mapping[str, bytes]) -> str:
    """Return the path behind the language of a fence: `python a.py`, `python:a.py`, `python title="a.py"`."""
    for word in info.split() if len(info) <= LONGEST_LINE else ():
        text = word.strip("{}")
        setting = _SETTING.match(text)
        text = text[setting.end() :] if setting else text
        for part in (text, text.partition(":")[2]):
            if name := _file_name(part.strip("\"'"), workspace):
                return name
    return ""


def _comment_path(line: str, workspace: Mapping[str, bytes]) -> str:
    """Return the path of a comment with nothing else."""
    comment = _COMMENT.fullmatch(line.strip()) if len(line) <= LONGEST_LINE else None
    return _file_name(comment[1], workspace) if comment else ""


def _file_name(text: str, workspace: Mapping[str, bytes]) -> str:
    """Return the text if it is the path of a file, as it is in the workspace."""
    path = text.removeprefix("/workspace/").removeprefix("./")
    if not _PATH.fullmatch(path):
        return ""
    return path if path in workspace or _ENDING.fullmatch(PurePosixPath(path).suffix) else ""


def _inside(path: str) -> str:
    try:
        return check_path(path.removeprefix("./").removeprefix("/workspace/"))
    except ValueError as error:
        raise BlockRefused(str(error)) from None
