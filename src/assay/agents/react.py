"""Act and observe: Inspect's own react agent, with a shell and Python in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from inspect_ai.agent import AgentPrompt, as_solver, react
from inspect_ai.solver import Solver
from inspect_ai.tool import bash, python

from assay.tasks import Task

PROMPT = """You are a machine-learning researcher. Your workspace is /workspace, a copy of a research
repository. You can run shell commands and Python there; there is no network. Work on the task until it is
done, check your work by running it, and call submit() when the files in the workspace are as you want them
graded. What counts is the files you leave, not what you say."""

TOOL_SECONDS = 180


def react_solver(tasks: Mapping[str, Task]) -> Solver:
    """The react agent for any task."""
    return as_solver(
        react(
            prompt=AgentPrompt(instructions=PROMPT),
            tools=[bash(timeout=TOOL_SECONDS), python(timeout=TOOL_SECONDS)],
        )
    )
