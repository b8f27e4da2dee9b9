"""What a run left: its results, one of its files, the end of what it printed."""

from __future__ import annotations

import asyncio
import os

from assay.apart import apart
from assay.rules.results import RESULTS_BYTES, parse_results
from assay.sandbox import Outcome
from assay.tasks import Run


def read_results(run: Run, outcome: Outcome) -> tuple[object | None, str | None]:
    """What a run wrote and printed, or why there is nothing."""
    problem = _why_unread(run, outcome)
    if problem is not None:
        return None, problem
    return parse_results(run, results_file(run, outcome), outcome.stdout)


async def read_results_apart(run: Run, outcome: Outcome) -> tuple[object | None, str | None]:
    """The same, parsed in a process of its own."""
    problem = _why_unread(run, outcome)
    if problem is not None:
        return None, problem
    data = await asyncio.to_thread(results_file, run, outcome)
    return await apart(parse_results, run, data, outcome.stdout)


def _why_unread(run: Run, outcome: Outcome) -> str | None:
    if outcome.exceeded or outcome.timed_out:
        return f"the run was stopped at its {outcome.exceeded or 'wall'} limit after {outcome.seconds:.1f} s"
    if outcome.returncode != 0:
        return f"the run exited with {outcome.returncode}: {tail(outcome.stderr or outcome.stdout)}"
    if run.results is not None and run.results in outcome.refused:
        return f"{run.results} was refused: {outcome.refused[run.results]}"
    return None


def results_file(run: Run, outcome: Outcome) -> bytes | None:
    """What a run wrote into its results file."""
    return None if run.results is None else read_output(outcome, run.results)


def read_output(outcome: Outcome, path: str) -> bytes | None:
    """What a run wrote into one file, and no more of it than one byte over the limit; None without one."""
    if path in outcome.files:
        return outcome.files[path]
    if path not in outcome.saved:
        return None
    with outcome.saved[path].open("rb") as file:
        return file.read(RESULTS_BYTES + 1)


def tail(output: bytes, length: int = 300) -> str:
    """The end of some output, on one line."""
    text = output.decode(errors="replace").strip()
    return (text if len(text) <= length else "…" + text[-length:]).replace(os.linesep, " ⏎ ")
