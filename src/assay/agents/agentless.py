"""One pass: the model sees the files and answers with whole files; nothing is run, nothing revised."""

from __future__ import annotations

import math
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
    place, name, shortest_open = 0, "", math.inf
    while place < len(lines):
        line = lines[place]
        place += 1
        fence = FENCE.match(line)
        if name and fence and len(fence[0]) < shortest_open:
            end = _end_of_block(lines, place, fence[0])
            if end is None:
                shortest_open = len(fence[0])  # a longer one has no end either
            else:
                yield name, "\n".join(lines[place:end])
                place = end + 1
        if fence or line.strip():
            name = _name_in(line)


def _end_of_block(lines: list[str], start: int, fence: str) -> int | None:
    return next((place for place in range(start, len(lines)) if lines[place].startswith(fence)), None)


def _name_in(line: str) -> str:
    at = line.rfind("FILE:")
    found = NAME.fullmatch(line, at) if at >= 0 and len(line) <= LONGEST_NAME_LINE else None
    return found[1] if found else ""
