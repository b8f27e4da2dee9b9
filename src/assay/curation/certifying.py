"""Stage 7: task folders of the drafts without gaps, each with the certificate of `assay certify`."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from assay.benchmarks import load_suite
from assay.certification import certify, write_certificates
from assay.curation.drafting.model import DraftsStage, TaskDraft
from assay.curation.drafting.rendering import render_task, scripts_of, workspace_of
from assay.errors import TaskError
from assay.files import publishing
from assay.tasks import Task, load_task, save_task
from assay.tasks.lock import EnvironmentLock
from assay.tasks.metric import Strict
from assay.tasks.validation import validate

VERSION = 1
ATTEMPTS = 75
"""About how many attempts a certificate needs; each runs the experiment up to three times."""


class CertifiedDraft(Strict):
    """What came of one draft."""

    task: str
    sound: bool
    """Whether it has a certificate that is sound."""
    checks: int = 0
    flaws: dict[str, str] = {}
    """Checks that do not hold, with their evidence; gaps, if it was not certified at all."""
    seconds: float = 0.0


class CertificatesStage(Strict):
    """7-certificates.json."""

    tasks: list[CertifiedDraft]


def certify_drafts(
    drafts: DraftsStage,
    files: Mapping[str, bytes],
    lock: EnvironmentLock,
    folder: Path,
    report: Callable[[str], None],
) -> CertificatesStage:
    """Write a task folder for each draft without gaps, and prove it."""
    results = []
    for draft in drafts.tasks:
        gaps = list(draft.gaps())
        if gaps:
            report(f"certify: {draft.id}: not tried, {len(gaps)} gaps ({gaps[0]})")
            flaws = {f"gap {number}": gap for number, gap in enumerate(gaps, 1)}
            results.append(CertifiedDraft(task=draft.id, sound=False, flaws=flaws))
            continue
        results.append(_certify(draft, files, lock, folder, report))
    return CertificatesStage(tasks=results)


def _certify(
    draft: TaskDraft,
    files: Mapping[str, bytes],
    lock: EnvironmentLock,
    folder: Path,
    report: Callable[[str], None],
) -> CertifiedDraft:
    start = time.monotonic()
    place = folder / "tasks" / draft.id
    try:
        task = validate(render_task(draft, workspace_of(draft, files), scripts_of(draft, files), lock))
        save_once(task, place)
    except TaskError as problem:
        return CertifiedDraft(task=draft.id, sound=False, flaws={"folder": problem.message})
    minutes = ATTEMPTS * 3 * draft.seconds / 60
    report(f"certify: {draft.id}: about {minutes:.0f} minutes of processor time")
    return prove(task, folder, report, start)


def prove(task: Task, folder: Path, report: Callable[[str], None], start: float) -> CertifiedDraft:
    """Certify a task that is saved below `tasks` of a folder, and write its certificate."""
    suite = load_suite(folder / "tasks").only([task.id], None)
    certificates = certify(suite, folder / "certify" / task.digest[:16])
    write_certificates(suite, certificates, None)
    certificate = certificates[0]
    flaws = {name: check.evidence for name, check in certificate.checks.items() if not check.holds}
    for name, evidence in list(flaws.items())[:6]:
        report(f"certify: {task.id}: {name}: {evidence[:160]}")
    report(f"certify: {task.id}: {'certified' if certificate.sound else 'NOT SOUND'}")
    return CertifiedDraft(
        task=task.id,
        sound=certificate.sound,
        checks=len(certificate.checks),
        flaws=flaws,
        seconds=round(time.monotonic() - start, 1),
    )


def save_once(task: Task, place: Path) -> None:
    """Write the task folder in one step; the same contents keep their certificate."""
    if place.is_dir():
        try:
            if load_task(place).digest == task.digest:
                return
        except TaskError:
            pass
        shutil.rmtree(place)
    with publishing(place) as partial:
        save_task(task, partial)
