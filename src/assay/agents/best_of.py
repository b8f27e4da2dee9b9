"""Best of k: k answers, each executed, one of them handed in by a verifier that does not know the truth.

Every candidate is archived as a submission, so that the grader can say afterwards which was best.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.util import sandbox

from assay.agents.agentless import request
from assay.agents.candidates import KEEP, Candidate, execute, lay
from assay.agents.file_blocks import read_answer
from assay.agents.papers import paper_text
from assay.agents.verifiers import by_majority, by_model, by_paper
from assay.tasks import Task
from assay.workspace import submissions_folder

BEST_OF = "best_of"
"""The key of an attempt's metadata that tells of the candidates."""


def best_of_solver(tasks: Mapping[str, Task], *, k: int, verifier: str) -> Solver:
    """The agent that answers k times and chooses."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        task = tasks[str(state.sample_id)]
        candidates: list[Candidate] = []
        await sandbox().exec(["/bin/sh", "-c", KEEP], timeout=120)
        for number in range(1, k + 1):
            prompt: list[ChatMessage] = [ChatMessageUser(content=request(task))]
            output = await get_model().generate(prompt)
            files = read_answer(output.completion, task.workspace).files
            candidates.append(await execute(sandbox(), task, number, files))
            # What is handed in is kept up to date: a limit may end the attempt at any moment.
            await _hand_in(state, task, candidates, by_majority(candidates), "majority")
        candidate, words = await _choose(verifier, candidates, task)
        await _hand_in(state, task, candidates, candidate, verifier)
        state.messages = [*prompt, ChatMessageAssistant(content=words)]
        state.output = output
        return state

    return solve


async def _choose(verifier: str, candidates: Sequence[Candidate], task: Task) -> tuple[Candidate, str]:
    if verifier == "model":
        return await by_model(candidates, task)
    if verifier == "paper":
        candidate = by_paper(candidates, paper_text(task) or task.instruction)
    else:
        candidate = by_majority(candidates)
    return candidate, f"candidate {candidate.number} of {len(candidates)} is handed in ({verifier})"


async def _hand_in(
    state: TaskState, task: Task, candidates: Sequence[Candidate], candidate: Candidate, verifier: str
) -> None:
    """Lay the chosen candidate into the workspace, and say of all what is known."""
    await lay(sandbox(), candidate.files)
    folder = submissions_folder()
    summaries: list[dict[str, Any]] = [
        {
            "submission": await asyncio.to_thread(_archive, option, task, folder),
            "numbers": dict(option.numbers),
            "problem": option.problem,
        }
        for option in candidates
    ]
    state.metadata[BEST_OF] = {"verifier": verifier, "chosen": candidate.number, "candidates": summaries}


def _archive(candidate: Candidate, task: Task, folder: Path) -> str:
    """Store what the candidate would hand in; the name of its archive."""
    return candidate.submission(task).store(folder)
