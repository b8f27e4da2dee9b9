"""Makes and certifies the ideation task of a curation; the same drafts keep their task and certificate."""

from __future__ import annotations

import ast
import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.curation.certifying import CertifiedDraft, prove, save_once
from assay.curation.drafting.measuring import SolutionMeasurer
from assay.curation.drafting.model import DraftsStage, TaskDraft
from assay.curation.drafting.rendering import scripts_of, seed_settings, workspace_of
from assay.curation.drafting.solution import injected, solution_code
from assay.curation.experiment_runner import ExperimentRunner
from assay.curation.ideation.definitions import CannotBeTaken, RepositoryFunctions
from assay.curation.ideation.gains import measure_gains
from assay.curation.ideation.proposal_code import (
    FunctionPair,
    ProposalCode,
    compatible,
    with_passed_on_calls,
)
from assay.curation.ideation.task import ideation_task
from assay.curation.paper import PaperText
from assay.curation.running import RunsStage, read_run
from assay.errors import UsageError
from assay.files import publish
from assay.tasks import Task
from assay.tasks.lock import EnvironmentLock
from assay.tasks.validation import validate
from assay.workspace.environments import locked_environment

RECORD = "ideation.json"
AUTO = "auto"
MOST_PAIRS = 6
_INHERITED = b"stdout=subprocess.PIPE,\n        close_fds=False,"
"""The pipe to a proposal must reach the program that the experiment starts."""
_REPRODUCE = b'#!/bin/bash\nset -eu\nexport PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"\n'


@dataclass(frozen=True)
class IdeationSource:
    """What an ideation task is made from."""

    drafts: DraftsStage
    documents: Mapping[str, PaperText]
    """`paper` and each README."""
    runs: RunsStage
    files: Mapping[str, bytes]
    lock: EnvironmentLock
    folder: Path
    """The curation's folder."""
    seconds: float
    report: Callable[[str], None]


def make_ideation(source: IdeationSource, pair_text: str) -> CertifiedDraft | None:
    """Return what came of the task, or None if none can be made; `pair_text` is `auto` or BASELINE=METHOD."""
    start = time.monotonic()
    task = draft_ideation(source, pair_text)
    return None if task is None else _prove(task, source, start)


def draft_ideation(source: IdeationSource, pair_text: str) -> Task | None:
    """Return the task of the first draft and pair of functions that give one; report why there is none."""
    reasons = []
    for draft in source.drafts.tasks:
        for pair in _pairs(source, draft, pair_text):
            try:
                task = validate(asyncio.run(_make(source, draft, pair, named=pair_text != AUTO)))
            except CannotBeTaken as reason:
                reasons.append(f"{draft.id}, {pair.name}={pair.method}: {reason}")
                continue
            source.report(f"ideation: {draft.id}: {pair.name} is the baseline, {pair.method} the method")
            return task
    text = "; ".join(reasons[:3]) or "no two functions of an experiment take the same parameters"
    source.report(f"ideation: no task: {text}")
    return None


def _pairs(source: IdeationSource, draft: TaskDraft, pair_text: str) -> Iterator[FunctionPair]:
    repository = RepositoryFunctions(source.files)
    if pair_text != AUTO:
        name, mark, method = (part.strip() for part in pair_text.partition("="))
        if not (mark and name and _is_expression(method)):
            raise UsageError(
                f"--ideation {pair_text!r} names no pair, expected `auto` or BASELINE=METHOD",
                hint="name two functions: --ideation greedy=karmarkar_karp",
            )
        try:
            path = repository.find(name)
        except CannotBeTaken as reason:
            raise UsageError(f"--ideation: {reason}", hint="file.py::name says which one you mean") from None
        yield FunctionPair(path, name.rpartition("::")[2], method)
        return
    called = _called_functions(source, draft)
    pairs = (
        FunctionPair(path, name, method)
        for path, name in called
        for method_path, method in called
        if method != name and compatible(repository, FunctionPair(path, name, method), method_path)
    )
    for _, pair in zip(range(MOST_PAIRS), pairs, strict=False):
        yield pair


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def _called_functions(source: IdeationSource, draft: TaskDraft) -> list[tuple[str, str]]:
    """The functions that the experiment called several times, by file and name."""
    ids = {command.id for command in draft.commands}
    functions: dict[tuple[str, str], None] = {}
    for command in source.runs.commands:
        run = read_run(source.folder / command.folder / "0") if command.command.id in ids else None
        for called in run.trace.calls if run is not None and run.trace is not None else []:
            is_public = "." not in called.name and not called.name.startswith("_")
            if is_public and called.count >= 4 and called.path in source.files:
                functions[called.path, called.name] = None
    return list(functions)


async def _make(source: IdeationSource, draft: TaskDraft, pair: FunctionPair, named: bool) -> Task:
    code = ProposalCode(RepositoryFunctions(source.files), pair)
    proposals = code.proposals()
    workspace = workspace_of(draft, source.files)
    changed = _measuring_code(source, draft, pair, workspace)
    runner = ExperimentRunner(workspace, locked_environment(source.lock), source.seconds)
    measurer = SolutionMeasurer(runner, source.folder / "runs" / "ideation", source.report)
    measured = await measure_gains(draft, changed, proposals, measurer, named)
    measuring = {**workspace, **changed, "proposal.py": code.baseline.encode()}
    document = source.documents[draft.document]
    return ideation_task(draft, document, pair, proposals, measured, measuring, source.lock)


def _measuring_code(
    source: IdeationSource, draft: TaskDraft, pair: FunctionPair, workspace: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The experiment of a draft, in which a proposal answers the calls of the baseline's function."""
    scripts = scripts_of(draft, source.files)
    settings = [probe.setting for probe in draft.settings]
    settings += seed_settings(scripts) if draft.seeded else []
    fresh = draft.fresh_setting or None
    code = solution_code(draft.commands, draft.metrics, 0, scripts, settings, fresh=fresh)
    code = {
        path: data.replace(b"stdout=subprocess.PIPE,", _INHERITED) if path not in scripts else data
        for path, data in code.items()
    }
    code["reproduce.sh"] = _REPRODUCE + code["reproduce.sh"].splitlines()[-1] + b"\n"
    slot = code.get(pair.path, workspace.get(pair.path))
    if slot is None:
        raise CannotBeTaken(f"{pair.path} is not a part of this experiment")
    code[pair.path] = with_passed_on_calls(slot, pair.name)
    for name in ("proposed_calls.py", "serve_proposals.py", "call_values.py"):
        code[name] = injected(name).encode()
    return code


def _prove(task: Task, source: IdeationSource, start: float) -> CertifiedDraft:
    folder = source.folder / "ideation"
    record = folder / RECORD
    save_once(task, folder / "tasks" / task.id)
    if record.is_file() and (folder / "certify" / task.digest[:16]).is_dir():
        proved = CertifiedDraft.model_validate_json(record.read_bytes())
        if proved.task == task.id:
            source.report(f"ideation: {task.id}: kept")
            return proved
    source.report(f"ideation: {task.id}: proving it")
    proved = prove(task, folder, source.report, start)
    publish(record, proved.model_dump_json(indent=2) + "\n")
    return proved
