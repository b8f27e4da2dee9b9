"""One pass: the model sees the files and answers with files; nothing is run, nothing revised.

If the form of the answer leaves open which file a block is, the model is told so and answers once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.util import sandbox

from assay.agents.allowance import what_is_left
from assay.agents.file_blocks import read_answer
from assay.tasks import Task

REQUEST = """

Answer with the whole new content of every file that you change or add, each as a line `FILE: path`
followed by one fenced block:

FILE: path/of/file.py
```python
the whole file
```

You have one answer; nothing is run before it is graded."""

SHOWN_BYTES = 60_000


def agentless_solver(tasks: Mapping[str, Task]) -> Solver:
    """The one-pass agent for any task."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        task = tasks[str(state.sample_id)]
        state.messages = [ChatMessageUser(content=request(task))]
        state = await generate(state)
        answer = read_answer(state.output.completion, task.workspace)
        await _write(answer.files)
        if answer.problems:
            state.messages.append(ChatMessageUser(content=describe_problems(answer.problems)))
            state = await generate(state)
            await _write(read_answer(state.output.completion, task.workspace).files)
        return state

    return solve


async def _write(files: Mapping[str, str]) -> None:
    for path, content in files.items():
        await sandbox().write_file(f"/workspace/{path}", content)


def request(task: Task) -> str:
    """All that is asked, every masked function of it at once, with the files and what may be used up."""
    parts = [task.instruction + show_files(task) + REQUEST, what_is_left()]
    return "\n\n".join(filter(None, parts))


def describe_problems(problems: Sequence[str]) -> str:
    """Tell the model which blocks could not be read, and how to write them."""
    listed = "\n".join(f"- {problem}" for problem in problems)
    return (
        f"Parts of your answer could not be read as files:\n{listed}\n\n"
        "Write each file of these parts again, whole, after a line `FILE: path`. The other files are kept. "
        "This is about the form alone: nothing was run."
    )


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
