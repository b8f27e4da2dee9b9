"""Searches the functions that tasks may mask: traces the run, and decides about copies and rounding."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from packaging.utils import canonicalize_name

from assay.errors import Unmaskable
from assay.masking.leaks.near_twins import Twin
from assay.masking.leaks.system_copies import SearchRequest
from assay.masking.leaks.twins import find_twins
from assay.masking.pipeline.bench import RepositoryRunner, failure_reason
from assay.masking.pipeline.candidates import (
    MaskCandidate,
    executed_functions,
    first_candidates,
    propose,
    summarize_reasons,
    without_leaked,
)
from assay.masking.pipeline.floor import Floor, measure_floor, refuse_ungradable
from assay.masking.pipeline.gold import GoldRuns, problem_of_run
from assay.masking.pipeline.near_copies import TwinPlan, plan_twins
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.pipeline.partial_results import PartialResults
from assay.masking.pipeline.repeatable_calls import refuse_unrepeatable
from assay.masking.pipeline.scrubbing import scrub_repository
from assay.masking.pipeline.tracer import Trace, reached_lines, trace
from assay.workspace import build_environment
from assay.workspace.system_copies import find_system_copies
from assay.workspace.task_environment import user_environment

TWIN_SEARCH = 3
"""Near twins are searched for this many times the candidates that may be proved."""


@dataclass
class MaskingSearch:
    """The candidates of one repository, and why other functions are none."""

    bench: RepositoryRunner
    gold: GoldRuns
    options: MaskingOptions
    traced: Trace
    ratio: float
    """Duration of the traced run over that of the plain one."""
    reached: Mapping[str, frozenset[int]]
    candidates: list[MaskCandidate]
    left_out: dict[str, str]
    groups: list[frozenset[str]] = field(default_factory=list)
    """Candidates that are near twins, which one task masks together."""
    floors: dict[str, Floor] = field(default_factory=dict)
    twins: list[Twin] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """What was removed from the workspace because it shows a body."""

    def refuse(self, reasons: Mapping[str, str]) -> None:
        """Leave these functions out, with the near twins that need them masked too."""
        self.left_out |= reasons
        for group in [group for group in self.groups if not group.isdisjoint(reasons)]:
            self.groups.remove(group)
            cause = next(name for name in sorted(group) if name in reasons)
            for name in group - reasons.keys():
                self.left_out[name] = f"given away: its near twin {cause} cannot be masked: {reasons[cause]}"
        self.candidates = [candidate for candidate in self.candidates if candidate.name not in self.left_out]


async def search_functions(
    bench: RepositoryRunner, gold: GoldRuns, options: MaskingOptions, partial: PartialResults
) -> MaskingSearch:
    """Trace the run and return the candidates that can be graded and that nothing else shows."""
    search = await _trace(bench, gold, options)
    if options.tests:
        await _keep_repeatable(search)
    await _decide_about_twins(search)
    await _measure_floors(search, partial)
    if not search.candidates:
        raise Unmaskable("no executed function is worth masking", hint=first_reasons(search.left_out))
    if options.scrub:
        await _scrub(search)
    search.twins = await asyncio.to_thread(_copies, search)
    _, leaked = without_leaked(search.candidates, search.twins)
    search.refuse(leaked)
    if not search.candidates:
        raise Unmaskable(
            f"every candidate is given away: {first_reasons(leaked)}",
            hint="--scrub leaves out documents, archives and other files that hold a body",
        )
    return search


async def _trace(bench: RepositoryRunner, gold: GoldRuns, options: MaskingOptions) -> MaskingSearch:
    traced = await trace(bench)
    ratio = traced.seconds / gold.seconds
    options.report(
        f"trace: {len(traced.functions)} functions executed, {len(traced.flows)} flows between them; "
        f"{traced.seconds:.2f} s, {ratio:.1f} times the plain run"
    )
    functions = executed_functions(bench.files, traced)
    reached = await reached_lines(bench, [defined for defined, _ in functions])
    candidates, left_out = propose(functions, reached, options)
    return MaskingSearch(bench, gold, options, traced, ratio, reached, candidates, left_out)


async def _keep_repeatable(search: MaskingSearch) -> None:
    """Keep as many functions as are needed whose calls can be repeated with other inputs."""
    waiting, kept = search.candidates, list[MaskCandidate]()
    limit = search.options.functions
    while waiting and len(kept) < limit:
        batch, waiting = waiting[: TWIN_SEARCH * limit], waiting[TWIN_SEARCH * limit :]
        refused = await refuse_unrepeatable(search.bench, batch, search.options.selection.seed)
        search.left_out |= refused
        kept += [candidate for candidate in batch if candidate.name not in refused]
    search.left_out |= {
        candidate.name: f"more than {limit} candidates (--functions)" for candidate in waiting
    }
    search.candidates = kept


async def _decide_about_twins(search: MaskingSearch) -> None:
    """Empty, group or refuse near twins, and keep as many candidates as the options allow."""
    limit = search.options.functions
    considered = search.candidates[: TWIN_SEARCH * limit]
    plan = await asyncio.to_thread(plan_twins, search.bench.files, considered, set(search.traced.functions))
    if plan.emptied:
        await _empty_twins(search, plan)
    kept_candidates = [candidate for candidate in plan.candidates if candidate.name not in search.left_out]
    grouped = [name for group in plan.groups for name in group]
    ordered = kept_candidates + [candidate for candidate in search.candidates if candidate not in considered]
    first_ones, beyond_limit = first_candidates(ordered, limit)
    partners = [
        candidate
        for candidate in kept_candidates
        if candidate.name in beyond_limit and candidate.name in grouped
    ]
    chosen_names = {candidate.name for candidate in first_ones}
    partners = [
        candidate
        for candidate in partners
        if any(candidate.name in group and group & chosen_names for group in plan.groups)
    ]
    search.candidates = sorted([*first_ones, *partners], key=lambda candidate: candidate.name)
    names = {candidate.name for candidate in search.candidates}
    search.groups = [group for group in plan.groups if group <= names]
    search.left_out |= {
        name: reason for name, reason in beyond_limit.items() if name not in names
    } | plan.left_out
    search.options.report(
        f"candidates: {len(search.candidates)}, and {len(search.left_out)} functions that are none "
        f"({summarize_reasons(search.left_out)})"
    )


async def _empty_twins(search: MaskingSearch, plan: TwinPlan) -> None:
    """Take the files with emptied twins if the run gives the same numbers, else refuse what they show."""
    emptied = dataclasses.replace(search.bench, files=plan.files)
    problem = await problem_of_run(emptied, search.gold)
    if problem is None:
        search.bench = emptied
        search.removed += [
            f"{name}: emptied, a near twin that the run does not execute" for name in plan.emptied
        ]
        return
    for emptied_name, shown_names in plan.emptied.items():
        reason = f"given away: {emptied_name} is a near twin; when the twins are emptied, the run {problem}"
        search.left_out |= dict.fromkeys(shown_names, reason[:300])


async def _measure_floors(search: MaskingSearch, partial: PartialResults) -> None:
    """Measure the effect of rounding; passed tests have no tolerance that it could widen."""
    if search.options.tests:
        search.floors = {candidate.name: Floor({}, tests=True) for candidate in search.candidates}
        return
    measured_before = partial.floors()
    missing = [candidate for candidate in search.candidates if candidate.name not in measured_before]
    measured = {**measured_before, **await measure_floor(search.bench, search.gold, missing)}
    partial.save_floors(measured)
    names = [candidate.name for candidate in search.candidates]
    search.floors = {name: measured[name] for name in names}
    search.refuse(refuse_ungradable(search.gold, search.floors))


async def _scrub(search: MaskingSearch) -> None:
    places = [candidate.defined.place for candidate in search.candidates]
    files, removed = scrub_repository(search.bench.files, places, set(search.traced.functions))
    search.bench = dataclasses.replace(search.bench, files=files)
    problem = failure_reason(await search.bench.run())
    if problem is not None:
        raise Unmaskable(
            f"the run needs what gives its functions away: without it, it {problem}",
            hint=f"taken out: {'; '.join(removed[:3])}",
        )
    search.removed += removed


def _copies(search: MaskingSearch) -> list[Twin]:
    """Find copies of all candidates; near twins that are masked together show nothing."""
    requirements = search.bench.requirements
    own_environment = user_environment()
    environment = own_environment or build_environment(requirements)
    packages = None
    if own_environment is not None:
        # An environment for all tasks has packages that these tasks will not have.
        packages = {canonicalize_name(requirement.partition("==")[0]) for requirement in requirements}
    places = [candidate.defined.place for candidate in search.candidates]
    [system] = find_system_copies([SearchRequest(places, search.bench.files)], environment)
    search.options.report(f"copies: {system.description}")
    twins = [*find_twins(places, search.bench.files, environment, packages), *system.unhidden]
    return [
        twin
        for twin in twins
        if not any(str(twin.place) in group and twin.where in group for group in search.groups)
    ]


def first_reasons(reasons_by_name: Mapping[str, str]) -> str | None:
    """Describe the first three reasons."""
    return "; ".join(f"{name}: {reason}" for name, reason in list(reasons_by_name.items())[:3]) or None
