"""Measures a repository's numbers: chooses the environment, the command, and what is in the workspace."""

from __future__ import annotations

import asyncio
import dataclasses
import math
import os

from assay.masking.pipeline.bench import RepositoryRunner, failure_reason
from assay.masking.pipeline.gold import GoldRuns, measure_gold
from assay.masking.pipeline.measures import parse_metric_requests
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.pipeline.partial_results import PartialResults
from assay.masking.pipeline.repository import Repository, pin, requirements_of
from assay.masking.pipeline.result_files import with_merged_results
from assay.masking.pipeline.unit_tests import (
    METRIC,
    REQUIREMENT,
    RESULTS,
    choose_tests,
    find_test_files,
    steady_tests,
)
from assay.masking.pipeline.variation import find_variations


async def measure(
    repository: Repository, options: MaskingOptions, partial: PartialResults
) -> tuple[RepositoryRunner, GoldRuns]:
    """Return the runner of the repository, and the results of its gold runs."""
    bench = await _prepare(repository, options)
    metric_requests = parse_metric_requests([METRIC] if options.tests else options.metrics)
    bench, metric_requests = with_merged_results(bench, metric_requests)
    variations, data = find_variations(repository, bench.command, options.vary, options.vary_arguments)
    bench = dataclasses.replace(bench, data=data)
    stored = partial.gold()
    if stored is None:
        hidden = [] if options.tests else variations
        gold = await measure_gold(bench, metric_requests, hidden, options.runs, options.report)
        gold = steady_tests(gold) if options.tests else gold
        partial.save_gold(bench.command, gold)
    else:
        command, gold = stored
        bench = dataclasses.replace(bench, command=command)
    limit = max(10.0, math.ceil(6 * gold.slowest))
    gold = dataclasses.replace(gold, run=gold.run.model_copy(update={"seconds": float(limit)}))
    options.report(
        f"gold: {len(gold.metrics)} numbers, {gold.seconds:.2f} s a run, "
        f"{len(gold.variations)} hidden variations"
    )
    return dataclasses.replace(bench, seconds=float(limit)), gold


async def _prepare(repository: Repository, options: MaskingOptions) -> RepositoryRunner:
    """Return the runner with its environment, its command and the files of the workspace."""
    requested_packages = requirements_of(repository, list(options.requirements))
    if options.tests:
        requested_packages = [*requested_packages, REQUIREMENT]
    options.report(f"environment: {', '.join(requested_packages) or 'plain Python'}")
    if repository.left_out:
        first_names = ", ".join(repository.left_out[:3]) + (", …" if len(repository.left_out) > 3 else "")
        options.report(
            f"workspace: left out {len(repository.left_out)} links, pipes and files "
            f"whose names are not UTF-8 or not portable: {first_names}"
        )
    # A results file of the repository would reveal the numbers.
    results_files = {request.file for request in parse_metric_requests(options.metrics or [METRIC])}
    results_files.add(RESULTS)
    files = {path: content for path, content in repository.files.items() if path not in results_files}
    gate = asyncio.Semaphore(options.processes or os.cpu_count() or 1)
    requirements = await asyncio.to_thread(pin, requested_packages)
    bench = RepositoryRunner(files, options.command, requirements, options.seconds, gate=gate)
    if options.tests:
        test_files = find_test_files(files, options.tests)
        return await choose_tests(bench, test_files, options.test_seconds, options.report)
    return await _without_artefacts(bench, repository, options)


async def _without_artefacts(
    bench: RepositoryRunner, repository: Repository, options: MaskingOptions
) -> RepositoryRunner:
    """Return the runner without build artefacts if the run works without them, else with them."""
    if not repository.artefacts:
        return bench
    count = f"{len(repository.artefacts)} files that builds have left (dist/, *.egg-info and the like)"
    with_artefacts = dataclasses.replace(bench, files={**bench.files, **repository.artefacts})
    if failure_reason(await bench.run()) is not None and failure_reason(await with_artefacts.run()) is None:
        options.report(f"workspace: kept {count}, since the run needs them")
        return with_artefacts
    options.report(f"workspace: left out {count}")
    return bench
