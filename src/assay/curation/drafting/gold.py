"""Adds to a draft what only runs can tell: gold, noise, settings that matter, design and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from assay.curation.drafting.claims import draft_claims
from assay.curation.drafting.measuring import (
    MOST_PROBES,
    PLAIN_RUNS,
    Measured,
    SolutionMeasurer,
    columns_of,
    differ,
    power_for,
)
from assay.curation.drafting.model import DraftMetric, DraftSetting, DraftVariable, TaskDraft
from assay.curation.drafting.noise import run_until_stable, tolerances
from assay.curation.drafting.solution import solution_code
from assay.curation.evidence import EvidencePlace
from assay.curation.matching import NumberLink
from assay.curation.settings import ExperimentSetting, can_be_fresh, other_value
from assay.tasks import DEFAULT

OTHER = "other-settings"
"""The variation with another setting."""


class _PlainGold(NamedTuple):
    """The solution's runs with its own settings."""

    runs: list[Measured]
    numbers: dict[str, list[float]]
    tolerances: dict[str, float]
    seeded: bool


async def measure_draft(
    draft: TaskDraft,
    scripts: Mapping[str, bytes],
    settings: Sequence[ExperimentSetting],
    links: Sequence[NumberLink],
    measurer: SolutionMeasurer,
    report: Callable[[str], None],
) -> TaskDraft:
    """Return the draft with what its solution's runs show, or with the problem that they show."""
    code = solution_code(draft.commands, draft.metrics, 0, scripts, settings)
    plain = await _plain_gold(draft, code, settings, links, measurer)
    if isinstance(plain, str):
        return draft.model_copy(update={"problems": [*draft.problems, plain]})
    noise = "noise over seeds" if plain.seeded else "no noise over seeds"
    report(f"drafts: {draft.id}: {noise} in {len(plain.runs)} runs, {plain.runs[0].seconds:.1f} s a run")
    probes = await _probe(code, settings, plain, measurer)
    settings = _as_probed(settings, probes)
    varied, varied_runs = await _vary(code, probes, plain.seeded, measurer)
    fresh = "" if plain.seeded else await _fresh_setting(draft, scripts, settings, probes, plain, measurer)
    power = power_for(list(plain.tolerances.values()))
    metrics = _with_gold(draft.metrics, plain, columns_of(varied_runs), 10.0**power)
    problems = list(draft.problems)
    if not varied:
        problems.append("no setting of the experiment moves its numbers, so a copied table could pass")
    elif not plain.seeded and not fresh:
        problems.append("neither a seed nor a setting can be chosen at grading, so stored runs could pass")
    return draft.model_copy(
        update={
            "metrics": metrics,
            "power": power,
            "seeded": plain.seeded,
            "settings": probes,
            "varied": varied,
            "fresh_setting": fresh,
            "design": _design(draft, metrics, probes),
            "claims": draft_claims(metrics, {metric.path: metric.absolute for metric in metrics}),
            "seconds": max(run.seconds for run in (*plain.runs, *varied_runs)),
            "problems": problems,
        }
    )


async def _fresh_setting(
    draft: TaskDraft,
    scripts: Mapping[str, bytes],
    settings: Sequence[ExperimentSetting],
    probes: Sequence[DraftSetting],
    plain: _PlainGold,
    measurer: SolutionMeasurer,
) -> str:
    """Return the setting that ASSAY_SEED may choose: with every seed it moves numbers; empty if none does."""
    for probe in sorted(probes, key=lambda probe: -probe.moves):
        if not probe.moves or not can_be_fresh(probe.setting):
            continue
        code = solution_code(draft.commands, draft.metrics, 0, scripts, settings, fresh=probe.setting.name)
        runs = await measurer.over_seeds(code)
        if all(run.problem is None and _moved(run, plain) for run in runs):
            return probe.setting.name
    return ""


def _moved(run: Measured, plain: _PlainGold) -> list[str]:
    """The numbers that another setting moves beyond their tolerance."""
    return [
        path
        for path, values in plain.numbers.items()
        if run.problem is None and abs(run.numbers[path] - values[0]) > 2 * plain.tolerances[path]
    ]


async def _plain_gold(
    draft: TaskDraft,
    code: Mapping[str, bytes],
    settings: Sequence[ExperimentSetting],
    links: Sequence[NumberLink],
    measurer: SolutionMeasurer,
) -> _PlainGold | str:
    """Run the solution as it is and over seeds; return why that is not possible."""
    first = await measurer.run(code)
    if first.problem is not None:
        return f"the solution does not run without the rest: {first.problem}"
    plain = [first, *await measurer.repeats(code, range(1, PLAIN_RUNS))]
    has_seeds = any(setting.kind == "seed" for setting in settings)
    seeded_runs = await measurer.over_seeds(code) if has_seeds else []
    seeded = differ(columns_of(plain), seeded_runs)
    runs = await _repeated([first, *seeded_runs] if seeded else plain, seeded, code, measurer)
    if seeded and any(run.problem for run in runs):
        return "the experiment fails with another seed"
    numbers = columns_of(runs)
    units = {metric.path: link.printed.unit for metric, link in zip(draft.metrics, links, strict=True)}
    return _PlainGold(runs, numbers, tolerances(numbers, {} if seeded else units), seeded)


async def _repeated(
    runs: Sequence[Measured],
    seeded: bool,
    code: Mapping[str, bytes],
    measurer: SolutionMeasurer,
    settings: Mapping[str, int | float] | None = None,
) -> list[Measured]:
    """The runs, and more of them if their numbers vary; the first one is the solution as it is."""
    run_count = len(runs)
    if not seeded and not differ(columns_of(runs[:1]), runs):
        return list(runs)

    async def more(count: int) -> list[Measured]:
        nonlocal run_count
        first, run_count = run_count, run_count + count
        if seeded:
            return await measurer.over_seeds(code, range(first - 1, run_count - 1), settings)
        return await measurer.repeats(code, range(first, run_count), settings)

    return await run_until_stable(runs, more)


async def _vary(
    code: Mapping[str, bytes], probes: Sequence[DraftSetting], seeded: bool, measurer: SolutionMeasurer
) -> tuple[dict[str, int | float], list[Measured]]:
    """Choose the setting that moves most numbers, and run the solution with its other value."""
    best = max(probes, key=lambda probe: probe.moves, default=None)
    if best is None or not best.moves:
        return {}, []
    varied = {best.setting.name: best.tried_value}
    runs = [await measurer.run(code, settings=varied)]
    if seeded:
        runs += await measurer.over_seeds(code, settings=varied)
    else:
        runs += await measurer.repeats(code, range(1, PLAIN_RUNS), varied)
    if not any(run.problem for run in runs):
        runs = await _repeated(runs, seeded, code, measurer, varied)
    return ({}, []) if any(run.problem for run in runs) else (varied, runs)


def _with_gold(
    metrics: Sequence[DraftMetric], plain: _PlainGold, varied: Mapping[str, list[float]], factor: float
) -> list[DraftMetric]:
    """Return the metrics with their gold and their tolerance, in the unit of results.json.

    The tolerance is that of the plain run. If numbers vary more with the other setting, grading takes the
    prediction interval of their runs: with one tolerance for both, invented numbers would pass the plain run.
    """
    measured = []
    for metric in metrics:
        gold = {DEFAULT: [value * factor for value in plain.numbers[metric.path]]}
        if varied:
            gold[OTHER] = [value * factor for value in varied[metric.path]]
        absolute = plain.tolerances[metric.path] * factor
        measured.append(metric.model_copy(update={"absolute": absolute, "gold": gold}))
    return measured


async def _probe(
    code: Mapping[str, bytes],
    settings: Sequence[ExperimentSetting],
    plain: _PlainGold,
    measurer: SolutionMeasurer,
) -> list[DraftSetting]:
    """Try another value for each setting, and count the numbers that it moves."""
    probes = []
    for setting in [setting for setting in settings if setting.kind == "number"][:MOST_PROBES]:
        probe = await _try_value(code, setting, plain, measurer)
        if not probe.moves and isinstance(setting.value, float) and setting.value != 0:
            far_setting = setting.model_copy(update={"is_far": True})
            far_probe = await _try_value(code, far_setting, plain, measurer)
            probe = far_probe if far_probe.moves else probe
        probes.append(probe)
    return probes


async def _try_value(
    code: Mapping[str, bytes], setting: ExperimentSetting, plain: _PlainGold, measurer: SolutionMeasurer
) -> DraftSetting:
    value = other_value(setting)
    run = await measurer.run(code, settings={setting.name: value})
    moved = _moved(run, plain)
    outcome = run.problem or f"moves {len(moved)} of {len(plain.numbers)} numbers"
    return DraftSetting(setting=setting, tried_value=value, moves=len(moved), outcome=outcome)


def _as_probed(
    settings: Sequence[ExperimentSetting], probes: Sequence[DraftSetting]
) -> list[ExperimentSetting]:
    """The settings with what probing found."""
    probed = {probe.setting.name: probe.setting for probe in probes}
    return [probed.get(setting.name, setting) for setting in settings]


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
