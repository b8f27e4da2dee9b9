"""One pass: the model sees the files and answers with whole files; nothing is run, nothing revised."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
BLOCK = re.compile(r"FILE:\s*`?([^\s`]+)`?\s*\n+(`{3,})[^\n]*\n(.*?)\n\2", re.DOTALL)


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
    for path, _, content in BLOCK.findall(answer):
        try:
            files[check_path(path.removeprefix("./").removeprefix("/workspace/"))] = content + "\n"
        except ValueError:
            continue
    return files
