"""Stage 8: a suite of the certified tasks, with a data card: source, licence, dates, yield by stage."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from assay.curation.certifying import CertificatesStage
from assay.curation.drafting.model import DraftsStage
from assay.curation.matching import LinksStage
from assay.curation.paper import PaperText
from assay.curation.reviewed import ReviewRecord, read_review
from assay.curation.running import RunsStage
from assay.curation.selecting import SelectedSource
from assay.curation.stage_files import StageLedger
from assay.files import publish, publishing
from assay.tasks.metric import Strict
from assay.version import __version__

VERSION = 2
CARD = "README.md"
TODO = "TODO.md"
_NOT_REVIEWED = "no: texts come from rules or a model, and nobody has read them"


class StageYield(Strict):
    """How much came through one stage."""

    stage: str
    count: int
    of: int
    unit: str
    losses: dict[str, int] = {}
    """Reason → how many."""


class PublishStage(Strict):
    """8-publish.json."""

    suite: str
    """The folder of the certified tasks, below the curation's folder; empty if there are none."""
    tasks: list[str]
    yields: list[StageYield]
    seconds: float
    """Of all stages together."""
    by_model: dict[str, int] = {}
    """What a model proposed or wrote (`commands`, `links`, `texts`) → how much of it is in use."""


def publish_suite(
    folder: Path,
    selected: SelectedSource,
    paper: PaperText,
    runs: RunsStage,
    links: LinksStage,
    drafts: DraftsStage,
    certificates: CertificatesStage,
    ledger: StageLedger,
) -> PublishStage:
    """Copy the certified tasks into a suite folder, and write its data card and the list of gaps."""
    sound = [entry.task for entry in certificates.tasks if entry.sound]
    yields = measure_yields(runs, links, drafts, certificates)
    seconds = round(sum(record.seconds for record in ledger.stages.values()), 1)
    stage = PublishStage(
        suite="suite" if sound else "",
        tasks=sound,
        yields=yields,
        seconds=seconds,
        by_model=model_parts(runs, links, drafts),
    )
    suite = folder / "suite"
    shutil.rmtree(suite, ignore_errors=True)
    if sound:
        with publishing(suite) as partial:
            for task in sound:
                shutil.copytree(folder / "tasks" / task, partial / task)
            (partial / CARD).write_text(data_card(selected, paper, stage, read_review(folder)))
    publish(folder / TODO, todo_list(drafts, certificates))
    return stage


def model_parts(runs: RunsStage, links: LinksStage, drafts: DraftsStage) -> dict[str, int]:
    """Count the commands with numbers, the links and the texts that come from a model."""
    texts = [text for draft in drafts.tasks for text in (draft.title, draft.question, draft.method)]
    counts = {
        "commands": sum(entry.command.origin == "model" for entry in runs.with_numbers),
        "links": sum("model" in link.basis for link in links.links),
        "texts": sum(text.source == "model" and bool(text.value) for text in texts),
    }
    return {name: count for name, count in counts.items() if count}


def measure_yields(
    runs: RunsStage, links: LinksStage, drafts: DraftsStage, certificates: CertificatesStage
) -> list[StageYield]:
    """Count what came through each stage, with the reasons for losses."""
    failures: dict[str, int] = {}
    for command in runs.commands:
        reason = command.failure or ("" if command.numbers else "gave no number")
        if reason:
            failures[reason] = failures.get(reason, 0) + 1
    linked, cells = links.count(in_sentences=False)
    stated, numbers = links.count(in_sentences=True)
    tables = [table for table in links.tables if table.linked]
    reasons = {entry.reason: 1 for entry in drafts.without_draft}
    gaps: dict[str, int] = {}
    for entry in certificates.tasks:
        for name in entry.flaws:
            gaps[name] = gaps.get(name, 0) + 1
    sound = sum(entry.sound for entry in certificates.tasks)
    return [
        StageYield(
            stage="runs",
            count=len(runs.with_numbers),
            of=len(runs.commands),
            unit="commands that give numbers",
            losses=failures,
        ),
        StageYield(stage="links", count=linked, of=cells, unit="numbers of tables that come out again"),
        StageYield(
            stage="sentences", count=stated, of=numbers, unit="numbers of sentences that come out again"
        ),
        StageYield(
            stage="drafts",
            count=len(drafts.tasks),
            of=len(tables),
            unit="linked tables, or groups of sentences, with a draft",
            losses=reasons,
        ),
        StageYield(
            stage="certificates",
            count=sound,
            of=len(drafts.tasks),
            unit="drafts with a certificate",
            losses=gaps,
        ),
    ]


def data_card(
    selected: SelectedSource, paper: PaperText, stage: PublishStage, review: ReviewRecord | None = None
) -> str:
    """Return the data card of a suite, in Markdown."""
    reviewed = review.in_words() if review else _NOT_REVIEWED
    licence = f"{selected.licence.name} ({selected.licence.file or 'stated by the user'})"
    day = selected.committed or "unknown: the source has no history"
    by_model = ", ".join(f"{count} {name}" for name, count in stage.by_model.items()) or "nothing"
    lines = [
        f"# Experiment tasks from: {paper.title or selected.repository}",
        "",
        f"Made by Assay {__version__} with `assay curate`.",
        "",
        "| field | value |",
        "|---|---|",
        f"| repository | {selected.repository} |",
        f"| commit | {selected.commit or 'none'} |",
        f"| contents | {selected.digest[:16]} |",
        f"| licence of the code | {licence} |",
        f"| day after which a model may have seen it | {day} |",
        f"| paper | {paper.format}, {len(paper.tables)} tables, {paper.number_count} numbers, "
        f"{paper.stated_count} numbers in sentences |",
        f"| proposed or written by a model | {by_model} |",
        f"| reviewed by people | {reviewed} |",
        f"| machine time | {stage.seconds / 60:.1f} minutes |",
        "",
        "## Yield",
        "",
        "| stage | count | of | what | losses |",
        "|---|---|---|---|---|",
        *(
            f"| {entry.stage} | {entry.count} | {entry.of} | {entry.unit} | {_losses(entry.losses)} |"
            for entry in stage.yields
        ),
        "",
        "## Tasks",
        "",
        *(f"- `{task}`" for task in stage.tasks),
        "",
    ]
    return "\n".join(lines)


def _losses(losses: Mapping[str, int]) -> str:
    return "; ".join(f"{reason}: {count}" for reason, count in losses.items()).replace("|", "/")[:600]


def todo_list(drafts: DraftsStage, certificates: CertificatesStage) -> str:
    """Return what a person must do, one line each, with the field in 6-drafts.json."""
    lines = ["# To do", "", "Change `6-drafts.json`, and give the same command again.", ""]
    for number, draft in enumerate(drafts.tasks):
        lines += [f"- [ ] `tasks[{number}]` ({draft.id}) {gap}" for gap in draft.gaps()]
    for entry in certificates.tasks:
        flaws = {name: text for name, text in entry.flaws.items() if not name.startswith("gap")}
        lines += [
            f"- [ ] {entry.task}: the certificate fails at {name}: {text}" for name, text in flaws.items()
        ]
    for table in drafts.without_draft:
        lines.append(f"- {table.document} {table.table} became no draft: {table.reason}")
    if len(lines) == 4:
        lines.append("Nothing.")
    return "\n".join(lines) + "\n"
