"""One pass: the model sees the files and answers with whole files; nothing is run, nothing revised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.util import sandbox

from assay.agents.allowance import what_is_left
from assay.tasks import Task
from assay.tasks.files import check_path

REQUEST = """

Answer with the whole new content of every file that you change or add, each as a line `FILE: path`
followed by one fenced block:

FILE: path/of/file.py
```python
the whole file
```

You have one answer; nothing is run before it is graded."""

SHOWN_BYTES = 60_000
NAME = re.compile(r"FILE:[ \t]*`?([^\s`]+)`?\s*")
FENCE = re.compile(r"`{3,}")
LONGEST_NAME_LINE = 1_000


def agentless_solver(tasks: Mapping[str, Task]) -> Solver:
    """The one-pass agent for any task."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        task = tasks[str(state.sample_id)]
        state.messages = [ChatMessageUser(content=request(task))]
        state = await generate(state)
        for path, content in parse_files(state.output.completion).items():
            await sandbox().write_file(f"/workspace/{path}", content)
        return state

    return solve


def request(task: Task) -> str:
    """All that is asked, every masked function of it at once, with the files and what may be used up."""
    parts = [task.instruction + show_files(task) + REQUEST, what_is_left()]
    return "\n\n".join(filter(None, parts))


def show_files(task: Task) -> str:
    """The workspace's files: those to fill in first, then the paper, then the rest while there is room."""
    first = [mask.file for mask in task.assay.masks] + ([task.assay.paper] if task.assay.paper else [])
    order = sorted(
        task.workspace, key=lambda path: (first.index(path) if path in first else len(first), path)
    )
    text = ""
    for path in order:
        data = task.workspace[path]
        if b"\0" in data or (len(text) + len(data) > SHOWN_BYTES and path not in first):
            text += f"\n\nFILE: {path} ({len(data):,} bytes, not shown)"
            continue
        text += f"\n\nFILE: {path}\n````\n{data.decode(errors='replace')}\n````"
    return text


def parse_files(answer: str) -> dict[str, str]:
    """The files of an answer; paths that leave the workspace are passed over."""
    files: dict[str, str] = {}
    for path, content in _blocks(answer.split("\n")):
        try:
            files[check_path(path.removeprefix("./").removeprefix("/workspace/"))] = content + "\n"
        except ValueError:
            continue
    return files


def _blocks(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each named block: a line that ends with `FILE: path`, empty lines, and what is between two fences.

    A model writes the answer, so the time must not grow faster than its length.
    """
    ends = _ends_of_blocks(lines)
    place, name = 0, ""
    while place < len(lines):
        line, start = lines[place], place
        place += 1
        if name and start in ends:
            yield name, "\n".join(lines[place : ends[start]])
            place = ends[start] + 1
        if line.strip():
            name = _name_in(line)


def _ends_of_blocks(lines: list[str]) -> dict[int, int]:
    """For each line with a fence that is closed: the next line with a fence that is as long or longer.

    Read backwards, with the fences that could still close an earlier one: the nearest is the last, and each
    fence removes those that are shorter and farther away.
    """
    ends: dict[int, int] = {}
    closing: list[tuple[int, int]] = []
    for place in range(len(lines) - 1, -1, -1):
        fence = FENCE.match(lines[place])
        if fence is None:
            continue
        length = len(fence[0])
        while closing and closing[-1][0] < length:
            closing.pop()
        if closing:
            ends[place] = closing[-1][1]
        closing.append((length, place))
    return ends


def _name_in(line: str) -> str:
    at = line.rfind("FILE:")
    found = NAME.fullmatch(line, at) if at >= 0 and len(line) <= LONGEST_NAME_LINE else None
    return found[1] if found else ""
