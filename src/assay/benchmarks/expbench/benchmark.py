"""EXP-Bench as a benchmark."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from pathlib import Path

from assay.benchmarks import expbench
from assay.benchmarks.base import BaseBenchmark
from assay.benchmarks.decidability import Decidability
from assay.benchmarks.description import PaperSource
from assay.benchmarks.expbench.agent_outputs import find_outputs, import_output, task_of
from assay.benchmarks.expbench.annotation_fields import ExpBenchAnnotations
from assay.benchmarks.expbench.annotations import annotated_tasks
from assay.benchmarks.expbench.audit import audit
from assay.benchmarks.expbench.item_decisions import decidability
from assay.benchmarks.expbench.leakage import measure_task
from assay.benchmarks.expbench.prompt import redact_prompt
from assay.benchmarks.expbench.prompt_reading import ReadPrompts, read_prompts, records_to_read
from assay.benchmarks.expbench.published import recompute_expbench
from assay.benchmarks.expbench.reports import RecordsAudit, RecordsFetched, RecordTable, TablesComparison
from assay.benchmarks.fetch_request import FetchRequest
from assay.benchmarks.hand_ins import ImportedHandIns
from assay.benchmarks.suite import Suite
from assay.errors import UsageError
from assay.grading import Judge
from assay.grading.judge.calibration import spread_out
from assay.grading.reading.labelled_readings import LabelledReading, labelled_readings
from assay.tasks.selection import Selection


class ExpBench(BaseBenchmark):
    """Published experiments of 51 papers."""

    name = expbench.NAME
    summary = "EXP-Bench (arXiv 2505.24785): 461 published experiments of 51 papers."
    fetch_command = "assay fetch expbench"
    splits = expbench.SPLITS
    licence = "MIT (its folder), CC-BY-4.0 (its paper); the papers' repositories have their own"

    def load(self, selection: Selection) -> Suite:
        """Make the selected tasks from the fetched repositories."""
        return expbench.load(selection)

    def planned(self, selection: Selection) -> Suite:
        """Make the selected tasks as far as a plan needs them, without any repository."""
        return expbench.planned(selection)

    def count_tasks(self) -> int:
        """Count the tasks of the default split in the task files: making a task needs its repository."""
        records = expbench.read_records(expbench.require())
        return len(expbench.select_records(records, Selection()))

    def listing(self, selection: Selection, source: Path | None) -> RecordTable:
        """List the tasks as published, also those whose repositories are not fetched."""
        records = expbench.read_records(source or expbench.require())
        selected = {record.id for record in expbench.select_records(records, selection)}
        rows = expbench.listing(records, selection.seed)
        foreign = [task.id for task in records.tasks if task.is_foreign and task.id not in selected]
        left_out = [] if selection.ids or selection.sample else foreign
        return RecordTable([row for row in rows if row.id in selected], left_out)

    def fetch(self, request: FetchRequest) -> RecordsFetched:
        """Fetch the task files, or only some papers' repositories; then `commit` is a commit of those."""
        request.refuse_only(self.name)
        only_papers = request.papers and not request.source
        tasks = expbench.fetched() if only_papers else expbench.fetch(request.source, request.commit)
        commit = None if request.source else request.commit
        repositories = {}
        for paper in request.papers:
            name, _, folder = paper.partition("=")
            pin = expbench.pin_of(name)
            repositories[pin.name] = expbench.fetch_repository(name, folder or None, commit)
        return RecordsFetched(tasks, expbench.require() if tasks else None, repositories)

    def import_hand_ins(self, folder: Path, out: Path) -> ImportedHandIns:
        """Read what EXP-Bench's own agents left; the repositories of the papers must be fetched."""
        if out.exists() and any(out.iterdir()):
            raise UsageError(f"{out} is not empty", hint="give a new folder with --out")
        conferences = {pin.paper: pin.conference for pin in expbench.pins().values()}
        hand_ins = []
        for path, match in find_outputs(folder):
            task_id = task_of(match, conferences)
            [task] = expbench.load(Selection(ids=(task_id,))).tasks
            hand_ins.append(import_output(path, match, task_id, task.workspace, out))
        return ImportedHandIns(self.name, hand_ins)

    def decidability(self, source: Path | None) -> Decidability:
        """Say what decides each published item; requirements need the fetched repositories."""
        return decidability(expbench.read_records(source or expbench.require()))

    def audit(self, source: Path | None, tell: Callable[[str], None]) -> RecordsAudit:
        """Check the published task files."""
        records = expbench.read_records(source or expbench.require())
        leakage = [measure_task(redact_prompt(record)) for record in records.tasks]
        return RecordsAudit(records, audit(records), leakage)

    def read_prompts(self, source: Path | None, judge_model: str, limit: int | None) -> ReadPrompts:
        """Ask a reader what the published and the redacted prompts say about the outcome."""
        records = expbench.read_records(source or expbench.require())
        chosen = spread_out(records_to_read(records.tasks), limit)
        return asyncio.run(read_prompts(chosen, Judge(judge_model, 1)))

    def published(self, source: Path | None) -> TablesComparison:
        """Compute Table 1 again from Table 6, which ships with Assay."""
        return TablesComparison(recompute_expbench())

    def labelled_readings(self) -> list[LabelledReading]:
        """Make texts and designs from the annotations, each with what a reader must find in it."""
        tasks = annotated_tasks()
        return labelled_readings(
            {task.id: task.claims for task in tasks.values()},
            {task.id: task.variables for task in tasks.values()},
        )

    def review_annotations(self, folder: Path, source: Path | None) -> ExpBenchAnnotations:
        """Return the annotations for people to review; reviewed ones are a file in `folder`."""
        return ExpBenchAnnotations(folder, source)

    def paper(self, name: str) -> PaperSource | None:
        """Return a paper's fetched repository, the date of its pin, and the path of its lock."""
        if name.rpartition("/")[2] not in expbench.pins():
            return None
        pin = expbench.pin_of(name)
        return PaperSource(
            expbench.repository_files(pin),
            date.fromisoformat(str(pin.date)),
            expbench.lock_file(pin),
            expbench.task_path(pin),
        )
