"""Harvests one package: fetches its source, finds a run, masks it and keeps a record of every step."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.curation.licences import LicenceFound, find_licence
from assay.errors import AssayError, EnvironmentFailed, OutOfTime, Unmaskable
from assay.files import publish
from assay.harvesting.combining import extended_record
from assay.harvesting.finding_runs import find_run
from assay.harvesting.package_list import PackageRequest
from assay.harvesting.records import HarvestedTask, HarvestStage, PackageRecord
from assay.harvesting.source_packages import fetch_archive, find_archive, unpack
from assay.masking.dial import Selection
from assay.masking.pipeline import MaskingOptions, MaskingResult, make_tasks
from assay.masking.pipeline.repository import Repository, read_repository, requirements_of
from assay.tasks import Task

RECORD = "package.json"
MASKED = "masked"
_STEPS: Mapping[str, HarvestStage] = {
    "environment": "environment",
    "tests": "run",
    "gold": "run",
    "workspace": "run",
    "trace": "functions",
    "candidates": "functions",
    "time": "proof",
    "proof": "proof",
    "task": "certificate",
}
"""First word of a step's line -> the stage that is under way."""
_SHORT = re.compile(r"[:;(].*", re.DOTALL)


@dataclass(frozen=True)
class HarvestSettings:
    """What holds for every package of a harvest."""

    functions: int = 12
    proved_limit: int = 8
    mutants: int = 12
    minutes: float = 5.0
    """No proof of a package starts after this time."""
    seconds: float = 60.0
    """Time limit of one run."""
    test_seconds: float = 2.0
    processes: int = 1
    """Runs of one package at the same time."""
    deadline: float | None = None
    """Moment (`time.time`) after which no package and no proof starts."""
    selection: Selection = field(default_factory=lambda: Selection(n=(1,)))
    """How many functions a task masks together, and how many tasks of each n a package has at most."""


@dataclass
class _Progress:
    """Follows the steps of `assay mask`, to know in which stage a package was lost."""

    record: PackageRecord
    stage: HarvestStage = "fetch"
    counts: dict[str, int] = field(default_factory=dict)
    flaws: Counter[str] = field(default_factory=Counter)

    def report(self, line: str) -> None:
        step = re.match(r"\w+", line)
        self.stage = _STEPS.get(step.group() if step else "", self.stage)
        for name, pattern in (("executed", r"trace: (\d+)"), ("candidates", r"candidates: (\d+)")):
            if match := re.match(pattern, line):
                self.counts[name] = int(match.group(1))
        proof = re.match(r"proof [^:]*: \S+::\S+: (.*)", line)
        if proof and "of mutants rejected" not in proof.group(1):
            self.flaws[_SHORT.sub("", proof.group(1)).strip()] += 1


def harvest_package(request: PackageRequest, folder: Path, settings: HarvestSettings) -> PackageRecord | None:
    """Return the record of one package, from its folder if it is complete, else made now.

    None means that the time of the whole harvest was over before a function was proved. An interruption
    loses only the function under way: the next call continues.
    """
    file = folder / RECORD
    start = time.monotonic()
    if file.is_file():
        return _extend(PackageRecord.model_validate_json(file.read_bytes()), folder, settings)
    progress = _Progress(PackageRecord(name=request.name))
    try:
        record = _harvest(request, folder, settings, progress)
    except AssayError as error:
        if isinstance(error, OutOfTime) and settings.deadline is not None and time.time() > settings.deadline:
            return None
        loss = {"stage": progress.stage, "reason": _reason(error), "left_out": dict(progress.flaws)}
        record = progress.record.model_copy(update={**loss, **progress.counts})
    except Exception as error:  # one broken package must not end the harvest of the others
        reason = f"Assay itself failed: {type(error).__name__}: {error}"[:300]
        record = progress.record.model_copy(update={"stage": progress.stage, "reason": reason})
    record = record.model_copy(update={"seconds": round(time.monotonic() - start, 1)})
    publish(file, record.model_dump_json(indent=2) + "\n")
    return record


def _extend(record: PackageRecord, folder: Path, settings: HarvestSettings) -> PackageRecord:
    """Return the record with the tasks of the selection; its own if no other can be graded."""
    if not record.tasks or record.selection == settings.selection.query():
        return record
    start = time.monotonic()
    try:
        extended = extended_record(record, folder / MASKED, settings.selection)
    except AssayError as error:
        return record.model_copy(update={"reason": f"no tasks were added: {_reason(error)}"})
    seconds = round(record.seconds + time.monotonic() - start, 1)
    extended = extended.model_copy(update={"seconds": seconds, "reason": ""})
    publish(folder / RECORD, extended.model_dump_json(indent=2) + "\n")
    return extended


def _harvest(
    request: PackageRequest, folder: Path, settings: HarvestSettings, progress: _Progress
) -> PackageRecord:
    archive = find_archive(request.name, request.version)
    path, digest = fetch_archive(archive, folder)
    origin = {
        "version": str(archive.version),
        "file": path.name,
        "sha256": digest,
        "uploaded": archive.uploaded,
    }
    progress.record = progress.record.model_copy(update=origin)
    if request.sha256 and request.sha256 != digest:
        raise Unmaskable(f"{path.name} has the hash {digest[:16]}…, the list states {request.sha256[:16]}…")
    source = unpack(path, folder / f"{request.name}-{archive.version}")
    progress.stage = "licence"
    repository = read_repository(source)
    licence = _licence(repository.files)
    progress.record = progress.record.model_copy(update={"licence": licence.name})
    if licence.refusal:
        raise Unmaskable(licence.refusal)
    progress.stage = "run"
    requirements = request.requirements or _requirements(repository.files)
    found_run = find_run(request, repository, requirements, settings.seconds)
    result = make_tasks(source, folder / MASKED, _options(found_run, requirements, settings, progress))
    return _finished_record(progress, result, settings.selection)


def _licence(files: Mapping[str, bytes]) -> LicenceFound:
    """Return the licence of the files, else the one that the metadata classifies."""
    licence = find_licence(files)
    if licence.file and licence.name not in ("", "unknown", "UNKNOWN"):
        return licence
    metadata = files.get("PKG-INFO", b"").decode(errors="replace")
    match = re.search(r"^Classifier: License :: (?:OSI Approved :: )?(\S.*)$", metadata, re.MULTILINE)
    if match:
        return LicenceFound(name=match.group(1).strip(), file="PKG-INFO")
    return licence.model_copy(update={"refusal": licence.refusal or "it states no licence"})


def _requirements(files: Mapping[str, bytes]) -> list[str]:
    """Return what the metadata of the source distribution needs; other files also list tools."""
    metadata = {path: files[path] for path in ("PKG-INFO",) if path in files}
    return requirements_of(Repository("metadata", metadata or dict(files), ()), [])


def _options(
    run: PackageRequest, requirements: list[str], settings: HarvestSettings, progress: _Progress
) -> MaskingOptions:
    minutes = settings.minutes
    if settings.deadline is not None:
        minutes = max(0.0, min(minutes, (settings.deadline - time.time()) / 60))
    return MaskingOptions(
        command=run.run or "",
        metrics=run.metrics,
        tests=run.tests,
        test_seconds=settings.test_seconds,
        requirements=requirements,
        include=run.include,
        exclude=run.exclude,
        functions=settings.functions,
        proved_limit=settings.proved_limit,
        minutes=minutes,
        mutants=settings.mutants,
        mutant_seconds=45.0,
        seconds=settings.seconds,
        processes=settings.processes,
        selection=settings.selection,
        paper_id=re.sub(r"[^A-Za-z0-9.-]+", "-", f"{run.name}-{progress.record.version}"),
        report=progress.report,
    )


def _finished_record(progress: _Progress, result: MaskingResult, selection: Selection) -> PackageRecord:
    scores = {proof.candidate.name: proof for proof in result.proofs}
    tasks = []
    for task, certificate in zip(result.tasks.values(), result.certificates, strict=True):
        if certificate.sound:
            tasks.append(_harvested_task(task, result, progress.record.name))
    flaws = [certificate for certificate in result.certificates if not certificate.sound]
    reason = "" if tasks else f"no task is certified: {_first_flaw(flaws[0].checks)}" if flaws else ""
    run = next(iter(result.tasks.values())).assay.run
    return progress.record.model_copy(
        update={
            "stage": "done" if tasks else "certificate",
            "reason": reason,
            "run": run.command if run else "",
            "proved": len(scores),
            "left_out": dict(Counter(_SHORT.sub("", why).strip() for why in result.left_out.values())),
            "tasks": tasks,
            "selection": selection.query(),
            **progress.counts,
        }
    )


def _first_flaw(checks: Mapping[str, object]) -> str:
    return next((name for name, check in checks.items() if not getattr(check, "holds", True)), "unknown")


def _harvested_task(task: Task, result: MaskingResult, package: str) -> HarvestedTask:
    names = [f"{mask.file}::{mask.function}" for mask in task.assay.masks]
    proofs = [proof for proof in result.proofs if proof.candidate.name in names]
    nodes = [proof.candidate.defined.node for proof in proofs]
    rejected = sum(proof.count("rejected") for proof in proofs)
    judged = rejected + sum(proof.count("survived") for proof in proofs)
    return HarvestedTask(
        id=task.id,
        package=package,
        functions=names,
        n=len(names),
        lines=sum((node.end_lineno or node.lineno) - node.body[0].lineno + 1 for node in nodes),
        flow=result.manifest.flows.get(task.id),
        mutants=judged,
        mutation_score=round(rejected / judged, 4) if judged else 0.0,
        tests=len(task.assay.metrics),
        guessed=any(name in result.guessed for name in names),
    )


def _reason(error: AssayError) -> str:
    kind = "no environment: " if isinstance(error, EnvironmentFailed) else ""
    hint = f" ({error.hint})" if error.hint else ""
    return f"{kind}{error.message}{hint}".replace("\n", " ")[:400]
