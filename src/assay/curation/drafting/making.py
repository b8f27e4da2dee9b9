"""Stage 6: a drafted task for each table that runs make again, measured by running its solution."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.curation.drafting.gold import measure_draft
from assay.curation.drafting.input_columns import without_inputs
from assay.curation.drafting.measuring import SolutionMeasurer
from assay.curation.drafting.model import (
    DraftCommand,
    DraftMetric,
    DraftsStage,
    LostTable,
    TaskDraft,
)
from assay.curation.drafting.requirements import draft_requirements, table_requirement, without_repetition
from assay.curation.drafting.result_numbers import result_rows
from assay.curation.drafting.stored_outputs import output_lines
from assay.curation.drafting.texts import draft_method, draft_question, draft_title
from assay.curation.drafting.unread_results import unread_result_lines, without_lines
from assay.curation.drafting.workspace_files import given_files
from assay.curation.evidence import EvidencePlace
from assay.curation.experiment_runner import ExperimentRunner
from assay.curation.imported_settings import find_imported_settings
from assay.curation.injected.output_numbers import NUMBER
from assay.curation.labels import label_words, slug, unique_slugs
from assay.curation.matching import OF_THE_PAPER, LinksStage, NumberLink
from assay.curation.paper import PaperTable, PaperText
from assay.curation.proposing.asking import ModelAsker
from assay.curation.proposing.text_proposals import write_texts
from assay.curation.running import CommandRuns, RunsStage, notebook_as_script, read_run
from assay.curation.sentence_links import statements_table
from assay.curation.settings import ExperimentSetting, find_settings
from assay.grading.execution_trace import ExecutionTrace, parse

VERSION = 6
LEAST_NUMBERS = 2


@dataclass(frozen=True)
class DraftContext:
    """What all drafts of one paper share."""

    name: str
    documents: Mapping[str, PaperText]
    """`paper` and each README."""
    runs: RunsStage
    files: Mapping[str, bytes]
    environment: Path
    folder: Path
    """The curation's folder, with the kept runs."""
    seconds: float
    report: Callable[[str], None]
    asker: ModelAsker | None = None
    """Writes texts where rules leave gaps."""


async def make_drafts(links: LinksStage, context: DraftContext) -> DraftsStage:
    """Draft a task for each linked table; one that only repeats the numbers of another is left out."""
    tasks: list[TaskDraft] = []
    without_draft: list[LostTable] = []
    used: list[set[tuple[str | int, ...]]] = []
    for table in links.tables:
        table_links = [
            link for link in links.links if (link.document, link.table) == (table.document, table.table)
        ]
        if not table_links:
            continue
        table_links = _result_links(table_links, context)
        addresses = {(link.command, *link.number.address.values()) for link in table_links}
        reason = ""
        if len(table_links) < LEAST_NUMBERS:
            reason = f"{len(table_links)} of its {table.cells} numbers come out again as results of a run"
        elif any(addresses <= used_addresses for used_addresses in used):
            reason = "another table of this paper has the same numbers"
        if reason:
            without_draft.append(LostTable(document=table.document, table=table.table, reason=reason))
            continue
        used.append(addresses)
        context.report(f"drafts: {table.document} {table.table}: {len(table_links)} linked numbers")
        tasks.append(await _draft(table_links, context))
    return DraftsStage(tasks=tasks, without_draft=without_draft)


async def _draft(links: Sequence[NumberLink], context: DraftContext) -> TaskDraft:
    document, table = _document(links[0], context)
    if table.is_ranked:
        links = sorted(links, key=lambda link: link.row_label.lower())
    command_runs = _command_runs(links, context)
    metrics = _metrics(links)
    commands, scripts = _commands(command_runs, context)
    traces = [trace for command in command_runs if (trace := _trace(command, context)) is not None]
    workspace, removed, leaks = given_files(
        context.files,
        {*scripts, *(command.command.script for command in command_runs if command.command.script)},
        {path for command in command_runs for path in command.written},
        {path for command in command_runs for path in command.opened},
        result_rows(metrics),
        [value for link in links for value in link.number.values[:1]],
        output_lines(text for command in command_runs for text in _outputs(command, context)),
    )
    title = draft_title(document, table)
    draft = TaskDraft(
        id=f"{slug(context.name, 30).replace('_', '-')}-{slug(links[0].table, 24).replace('_', '-')}",
        document=links[0].document,
        table=links[0].table,
        title=title,
        question=draft_question(table, metrics, title.value),
        method=draft_method(
            document,
            table,
            [link.printed.text for link in links],
            _docstrings(scripts),
            [link.place for link in links],
        ),
        commands=commands,
        removed=removed,
        metrics=metrics,
        problems=[f"leak: {leak}" for leak in leaks],
    )
    if context.asker is not None:
        script = "\n".join(data.decode(errors="replace") for data in scripts.values())
        draft = write_texts(context.asker, draft, document, table, script)
    if not scripts:
        problem = "the commands start no file of the repository that could be taken out"
        return draft.model_copy(update={"problems": [*draft.problems, problem]})
    settings = _settings(scripts, traces, context.files)
    runner = ExperimentRunner(workspace, context.environment, context.seconds)
    measurer = SolutionMeasurer(runner, context.folder / "runs" / "solutions", context.report)
    measured = await measure_draft(draft, scripts, settings, links, measurer, context.report)
    requirements = [
        requirement for trace in traces for requirement in draft_requirements(scripts, workspace, trace)
    ]
    return measured.model_copy(
        update={"requirements": [table_requirement(), *without_repetition(requirements)]}
    )


def _command_runs(links: Sequence[NumberLink], context: DraftContext) -> list[CommandRuns]:
    ids = {link.command for link in links}
    return [command for command in context.runs.commands if command.command.id in ids]


def _result_links(links: Sequence[NumberLink], context: DraftContext) -> list[NumberLink]:
    """The links without columns that repeat what the runs read, for example the settings of each row."""
    inputs = []
    command_runs = _command_runs(links, context)
    written = {path for command in command_runs for path in command.written}
    scripts = {command.command.script for command in command_runs}
    for path in sorted({path for command in command_runs for path in command.opened} - written - scripts):
        data = context.files.get(path, b"")
        hits = [line for line in data.decode(errors="replace").split("\n") if NUMBER.search(line)]
        inputs.append(without_lines(data, unread_result_lines(path, data, hits, context.files)))
    return without_inputs(links, inputs)


def _document(link: NumberLink, context: DraftContext) -> tuple[PaperText, PaperTable]:
    document = context.documents[link.document]
    statements = statements_table(document)
    tables = [*document.tables, *([statements] if statements else [])]
    return document, next(table for table in tables if table.id == link.table)


def _metrics(links: Sequence[NumberLink]) -> list[DraftMetric]:
    rows = list(dict.fromkeys((link.row, link.row_label) for link in links))
    columns = list(dict.fromkeys((link.column, link.column_label) for link in links))
    row_names = dict(zip(rows, unique_slugs([label for _, label in rows]), strict=True))
    column_names = dict(zip(columns, unique_slugs([label for _, label in columns]), strict=True))
    # A single row compares its columns: they are the conditions then.
    turned = len(rows) == 1 and len(columns) > 1
    return [
        DraftMetric(
            row=_pick(
                turned, column_names[link.column, link.column_label], row_names[link.row, link.row_label]
            ),
            column=_pick(
                turned, row_names[link.row, link.row_label], column_names[link.column, link.column_label]
            ),
            row_label=_pick(turned, link.column_label, link.row_label),
            column_label=_pick(turned, link.row_label, link.column_label),
            command=link.command,
            address=link.number.address,
            scale=link.scale,
            printed=link.printed.text,
            evidence=[
                link.place,
                EvidencePlace(
                    kind="run", file=link.command, text=f"{link.number.source}: {link.number.label}"[:400]
                ),
            ],
        )
        for link in links
    ]


def _pick(condition: bool, first: str, second: str) -> str:
    return first if condition else second


def _commands(
    command_runs: Sequence[CommandRuns], context: DraftContext
) -> tuple[list[DraftCommand], dict[str, bytes]]:
    """Return the commands of the experiment, and the files that hold it."""
    commands: list[DraftCommand] = []
    scripts: dict[str, bytes] = {}
    for command_run in command_runs:
        command = command_run.command
        changes, words = notebook_as_script(command, context.files)
        script = next(iter(changes), command.script)
        if not script and command.command.startswith(("bash ", "sh ", "./")):
            name = command.command.split()[-1].removeprefix("./")
            script = f"{command.folder}/{name}".lstrip("/")
        if script in changes or script in context.files:
            scripts[script] = changes.get(script) or context.files[script]
        commands.append(
            DraftCommand(
                id=command.id, command=words, folder=command.folder, script=script, evidence=command.place
            )
        )
    return commands, scripts


def _trace(command: CommandRuns, context: DraftContext) -> ExecutionTrace | None:
    run = read_run(context.folder / command.folder / "0")
    return None if run is None else run.trace


def _outputs(command: CommandRuns, context: DraftContext) -> Iterable[str]:
    run = read_run(context.folder / command.folder / "0")
    return () if run is None else run.outputs.values()


def _docstrings(scripts: Mapping[str, bytes]) -> list[tuple[str, EvidencePlace]]:
    docstrings = []
    for path, data in scripts.items():
        tree = parse(data.decode(errors="replace")) if path.endswith(".py") else None
        text = ast.get_docstring(tree) if tree is not None else None
        if text:
            docstrings.append((text, EvidencePlace(kind="code", file=path, line=1)))
    return docstrings


def _settings(
    scripts: Mapping[str, bytes], traces: Sequence[ExecutionTrace], files: Mapping[str, bytes]
) -> list[ExperimentSetting]:
    """The settings of the scripts, then those that they import; of one name the first is taken."""
    settings: list[ExperimentSetting] = []
    for path, data in scripts.items():
        if path.endswith(".py"):
            executed = {line for trace in traces for line in trace.lines.get(path, ())}
            settings += find_settings(path, data.decode(errors="replace"), executed)
    names = {setting.name for setting in settings}
    for path in scripts:
        imported = find_imported_settings(path, {**files, **scripts})
        settings += [setting for setting in imported if setting.name not in names]
        names |= {setting.name for setting in imported}
    # What a script expects (`expected_loss`) is no setting of the experiment.
    return [setting for setting in settings if not label_words(setting.name) & OF_THE_PAPER]
