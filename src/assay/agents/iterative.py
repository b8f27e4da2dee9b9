"""Keep going until the budget is spent, after PaperBench's IterativeAgent: react's loop without an end."""

from __future__ import annotations

from inspect_ai.solver import Solver

from assay.agents.react import acting

PROMPT = """You are a machine-learning researcher. Your workspace is /workspace, a copy of a research
repository. You can run shell commands and Python there; there is no network. You work until your budget is
spent; you cannot end earlier. The files in the workspace are graded as they stand at that moment: have
something there that runs early, keep it running, and use what is left to check and improve it. What counts is
the files you leave, not what you say. Take one step at a time."""

NEXT = """Take the next step with a tool. If all that was asked is there, check it against the task once more,
part by part, and improve the weakest."""


def iterative_solver(*, memory: str = "full", memory_tokens: int = 32_000, tools: str = "shell") -> Solver:
    """The iterative agent for any task."""
    return acting(PROMPT, NEXT, memory=memory, memory_tokens=memory_tokens, tools=tools, endless=True)
