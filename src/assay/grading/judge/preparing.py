"""Material for a reader, made in a process with limits: reading what an agent wrote can take very long.

What goes over the limits is the agent's doing: nothing is shown then, and all is said to be unread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Concatenate, ParamSpec

from assay.apart import apart
from assay.errors import GradingError
from assay.grading.execution_trace import ExecutionTrace
from assay.grading.judge.asking import Judge
from assay.grading.judge.guard import MOST_PAGES
from assay.grading.judge.material import Material, OwnFiles, own_texts, read_all_text, read_code
from assay.rules.process_limits import CPU_SECONDS
from assay.tasks import Task
from assay.workspace import Submission

Options = ParamSpec("Options")


async def prepare_code(
    judge: Judge, task: Task, submission: Submission, first: Collection[str], trace: ExecutionTrace | None
) -> Material:
    """What was changed and ran, as much as a judge reads; the files named `first` in front."""
    texts = await asyncio.to_thread(own_texts, task, submission, trace)
    return await _prepare(read_code, texts, first, MOST_PAGES * judge.page)


async def prepare_all_text(judge: Judge, task: Task, submission: Submission) -> Material:
    """All readable files that were changed or added, as much as a judge reads at once."""
    texts = await asyncio.to_thread(own_texts, task, submission)
    return await _prepare(read_all_text, texts, judge.whole or MOST_PAGES * judge.page)


async def _prepare(
    read: Callable[Concatenate[OwnFiles, Options], Material],
    texts: OwnFiles,
    *options: Options.args,
    **named: Options.kwargs,
) -> Material:
    try:
        return await apart(read, texts, *options, **named)
    except GradingError:
        reason = f"more than {CPU_SECONDS} s of processor time, or too much memory, to prepare them"
        return Material((), (f"{len(texts.files)} files ({reason})",))
