"""Stage 6: a drafted task for each table that runs make again, measured by running its solution."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.curation.drafting.claims import draft_claims
from assay.curation.drafting.measuring import (
    MOST_PROBES,
    Measured,
    SolutionMeasurer,
    columns_of,
    differ,
    power_for,
    tolerance,
)
from assay.curation.drafting.model import (
    DraftCommand,
    DraftMetric,
    DraftSetting,
    DraftsStage,
    DraftVariable,
    LostTable,
    TaskDraft,
)
from assay.curation.drafting.requirements import draft_requirements, table_requirement
from assay.curation.drafting.solution import solution_code
from assay.curation.drafting.texts import draft_method, draft_question, draft_title
from assay.curation.drafting.workspace_files import given_files
from assay.curation.evidence import EvidencePlace
from assay.curation.experiment_runner import ExperimentRunner
from assay.curation.labels import slug, unique_slugs
from assay.curation.matching import LinksStage, NumberLink
from assay.curation.paper import PaperTable, PaperText
from assay.curation.running import CommandRuns, RunsStage, notebook_as_script, read_run
from assay.curation.settings import ExperimentSetting, find_settings, other_value
from assay.grading.execution_trace import ExecutionTrace, parse
from assay.tasks import DEFAULT

VERSION = 1
LEAST_NUMBERS = 2
OTHER = "other-settings"


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
        addresses = {(link.command, *link.number.address.values()) for link in table_links}
        reason = ""
        if len(table_links) < LEAST_NUMBERS:
            reason = f"only {len(table_links)} of its {table.cells} numbers comes out again"
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
    command_runs = [
        command for command in context.runs.commands if command.command.id in {link.command for link in links}
    ]
    metrics = _metrics(links)
    commands, scripts = _commands(command_runs, context)
    traces = [trace for command in command_runs if (trace := _trace(command, context)) is not None]
    workspace, removed, leaks = given_files(
        context.files,
        {*scripts, *(command.command.script for command in command_runs if command.command.script)},
        {path for command in command_runs for path in command.written},
        {path for command in command_runs for path in command.opened},
        [link.printed.text for link in links],
        [value for link in links for value in link.number.values[:1]],
    )
    title = draft_title(table)
    draft = TaskDraft(
        id=f"{slug(context.name, 30).replace('_', '-')}-{slug(links[0].table, 24).replace('_', '-')}",
        document=links[0].document,
        table=links[0].table,
        title=title,
        question=draft_question(table, metrics, title.value),
        method=draft_method(document, table, [link.printed.text for link in links], _docstrings(scripts)),
        commands=commands,
        removed=removed,
        metrics=metrics,
        problems=[f"leak: {leak}" for leak in leaks],
    )
    if not scripts:
        problem = "the commands start no file of the repository that could be taken out"
        return draft.model_copy(update={"problems": [*draft.problems, problem]})
    settings = _settings(scripts, traces)
    runner = ExperimentRunner(workspace, context.environment, context.seconds)
    measurer = SolutionMeasurer(runner, context.folder / "runs" / "solutions", context.report)
    measured = await _measure(draft, scripts, settings, links, measurer, context.report)
    requirements = [
        requirement for trace in traces for requirement in draft_requirements(scripts, workspace, trace)
    ]
    return measured.model_copy(update={"requirements": [table_requirement(), *requirements]})


def _document(link: NumberLink, context: DraftContext) -> tuple[PaperText, PaperTable]:
    document = context.documents[link.document]
    return document, next(table for table in document.tables if table.id == link.table)


def _metrics(links: Sequence[NumberLink]) -> list[DraftMetric]:
    rows = list(dict.fromkeys((link.row, link.row_label) for link in links))
    columns = list(dict.fromkeys((link.column, link.column_label) for link in links))
    row_names = dict(zip(rows, unique_slugs([label for _, label in rows]), strict=True))
    column_names = dict(zip(columns, unique_slugs([label for _, label in columns]), strict=True))
    return [
        DraftMetric(
            row=row_names[link.row, link.row_label],
            column=column_names[link.column, link.column_label],
            row_label=link.row_label,
            column_label=link.column_label,
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


def _docstrings(scripts: Mapping[str, bytes]) -> list[tuple[str, EvidencePlace]]:
    docstrings = []
    for path, data in scripts.items():
        tree = parse(data.decode(errors="replace")) if path.endswith(".py") else None
        text = ast.get_docstring(tree) if tree is not None else None
        if text:
            docstrings.append((text, EvidencePlace(kind="code", file=path, line=1)))
    return docstrings


def _settings(scripts: Mapping[str, bytes], traces: Sequence[ExecutionTrace]) -> list[ExperimentSetting]:
    settings = []
    for path, data in scripts.items():
        if path.endswith(".py"):
            executed = {line for trace in traces for line in trace.lines.get(path, ())}
            settings += find_settings(path, data.decode(errors="replace"), executed)
    return settings


async def _measure(
    draft: TaskDraft,
    scripts: Mapping[str, bytes],
    settings: Sequence[ExperimentSetting],
    links: Sequence[NumberLink],
    measurer: SolutionMeasurer,
    report: Callable[[str], None],
) -> TaskDraft:
    """Add gold, tolerances, settings, variation, design and claims to a draft."""
    code = solution_code(draft.commands, draft.metrics, 0, scripts, settings)
    plain = await measurer.plain(code)
    if plain[0].problem is not None:
        return _with_problem(draft, f"the solution does not run without the rest: {plain[0].problem}")
    default = columns_of(plain)
    has_seeds = any(setting.kind == "seed" for setting in settings)
    seeded_runs = await measurer.over_seeds(code) if has_seeds else []
    seeded = has_seeds and differ(default, seeded_runs)
    if seeded and any(run.problem for run in seeded_runs):
        return _with_problem(draft, "the experiment fails with another seed")
    all_runs = [plain[0], *seeded_runs] if seeded else plain
    gold = columns_of(all_runs)
    units = {
        f"{metric.row}.{metric.column}": link.printed.unit
        for metric, link in zip(draft.metrics, links, strict=True)
    }
    tolerances = {path: tolerance(values, 0.0 if seeded else units[path]) for path, values in gold.items()}
    noise = "noise over seeds" if seeded else "no noise over seeds"
    report(f"drafts: {draft.id}: {noise}, {plain[0].seconds:.1f} s a run")
    probes = await _probe(code, settings, gold, tolerances, measurer)
    varied = _varied(probes)
    other_runs: list[Measured] = []
    if varied:
        first = await measurer.run(code, settings=varied)
        varied_runs = await measurer.over_seeds(code, varied) if seeded else [first, first]
        other_runs = [first, *varied_runs]
        if any(run.problem for run in other_runs):
            varied, other_runs = {}, []
    power = power_for(list(tolerances.values()))
    other_gold = columns_of(other_runs)
    metrics = _with_gold(draft.metrics, gold, other_gold, 10.0**power)
    metrics = [
        metric.model_copy(
            update={"absolute": _widest(metric.path, tolerances, other_gold, seeded) * 10.0**power}
        )
        for metric in metrics
    ]
    claims = draft_claims(metrics, {metric.path: metric.absolute for metric in metrics})
    problems = list(draft.problems)
    if not varied:
        problems.append("no setting of the experiment moves its numbers, so a copied table could pass")
    return draft.model_copy(
        update={
            "metrics": metrics,
            "power": power,
            "seeded": seeded,
            "settings": probes,
            "varied": varied,
            "design": _design(draft, metrics, probes),
            "claims": claims,
            "seconds": max(run.seconds for run in (*all_runs, *other_runs)),
            "problems": problems,
        }
    )


def _with_gold(
    metrics: Sequence[DraftMetric],
    gold: Mapping[str, list[float]],
    other_gold: Mapping[str, list[float]],
    factor: float,
) -> list[DraftMetric]:
    """Add the numbers of the plain and of the varied runs, times a power of ten."""
    runs = {DEFAULT: gold, **({OTHER: other_gold} if other_gold else {})}
    return [
        metric.model_copy(
            update={
                "gold": {
                    name: [value * factor for value in columns[metric.path]] for name, columns in runs.items()
                }
            }
        )
        for metric in metrics
    ]


def _widest(
    path: str, tolerances: Mapping[str, float], other_gold: Mapping[str, list[float]], seeded: bool
) -> float:
    """The tolerance of a number in the plain and in the varied runs."""
    return max(tolerances[path], tolerance(other_gold[path], 0.0) if seeded and other_gold else 0.0)


def _with_problem(draft: TaskDraft, problem: str) -> TaskDraft:
    return draft.model_copy(update={"problems": [*draft.problems, problem]})


async def _probe(
    code: Mapping[str, bytes],
    settings: Sequence[ExperimentSetting],
    gold: Mapping[str, list[float]],
    tolerances: Mapping[str, float],
    measurer: SolutionMeasurer,
) -> list[DraftSetting]:
    """Try another value for each setting, and count the numbers that it moves."""
    probes = []
    for setting in [setting for setting in settings if setting.kind == "number"][:MOST_PROBES]:
        value = other_value(setting)
        run = await measurer.run(code, settings={setting.name: value})
        moved = [
            path
            for path, values in gold.items()
            if run.problem is None and abs(run.numbers[path] - values[0]) > 2 * tolerances[path]
        ]
        outcome = run.problem or f"moves {len(moved)} of {len(gold)} numbers"
        probes.append(DraftSetting(setting=setting, tried_value=value, moves=len(moved), outcome=outcome))
    return probes


def _varied(probes: Sequence[DraftSetting]) -> dict[str, int | float]:
    """Choose the setting that moves most numbers for the hidden variation."""
    best = max(probes, key=lambda probe: probe.moves, default=None)
    return {best.setting.name: best.tried_value} if best is not None and best.moves else {}


def _design(
    draft: TaskDraft, metrics: Sequence[DraftMetric], probes: Sequence[DraftSetting]
) -> list[DraftVariable]:
    """The variables: rows are varied, columns are measured, settings that matter are constant."""
    variables = []
    rows = list(dict.fromkeys(metric.row for metric in metrics))
    if len(rows) > 1:
        variables.append(
            DraftVariable(
                name="condition", role="independent", values=list(rows), evidence=metrics[0].evidence[:1]
            )
        )
    for column in dict.fromkeys(metric.column for metric in metrics):
        first_metric = next(metric for metric in metrics if metric.column == column)
        variables.append(DraftVariable(name=column, role="dependent", evidence=first_metric.evidence[:1]))
    names = {variable.name for variable in variables}
    for probe in probes:
        setting = probe.setting
        if probe.moves and setting.name not in names:
            place = EvidencePlace(
                kind="code", file=setting.file, line=setting.line, text=f"{setting.name} = {setting.value}"
            )
            run = EvidencePlace(
                kind="run", file=draft.commands[0].id, text=f"{probe.tried_value}: {probe.outcome}"
            )
            variables.append(
                DraftVariable(
                    name=setting.name, role="constant", values=[setting.value], evidence=[place, run]
                )
            )
    return variables
