"""Tasks and environments made from repositories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.api.listening import ignore_line
from assay.benchmarks import find_paper, load_suite
from assay.certification import certify
from assay.curation import STAGES, CurationOptions, CurationResult, ModelChoice
from assay.curation import curate as curate_paper
from assay.errors import UsageError
from assay.evaluation.events import Finished
from assay.harvesting.harvest import HarvestOptions, HarvestResult, harvest_packages
from assay.harvesting.one_package import HarvestSettings
from assay.masking.dial import Selection, parse_n
from assay.masking.pipeline import MaskingOptions, MaskingResult, make_tasks
from assay.masking.pipeline.folders import write_certificate
from assay.masking.pipeline.proving import with_full_proof
from assay.tasks.lock import EnvironmentLock
from assay.workspace.building import BuildRequest, BuiltEnvironment, build, read_lock, write_lock


@outside_event_loop
def mask(
    repository: str | Path,
    out: str | Path,
    *,
    command: str = "",
    metrics: Sequence[str] = (),
    tests: Sequence[str] = (),
    test_seconds: float = 2.0,
    requirements: Sequence[str] = (),
    paper_id: str | None = None,
    paper: str | Path | None = None,
    describe: str | None = None,
    vary: Sequence[str] = (),
    vary_arguments: Sequence[str] = (),
    n: str = "1",
    sample: int | None = None,
    seed: int = 0,
    runs: int = 5,
    seconds: float = 120.0,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    functions: int = 8,
    proved_limit: int | None = None,
    minutes: float | None = None,
    mutants: int = 20,
    processes: int | None = None,
    scrub: bool = False,
    keep: Sequence[str] = (),
    full: bool = False,
    on_step: Callable[[str], None] | None = None,
    on_plan: Callable[[int, int], None] | None = None,
    on_finish: Callable[[Finished], None] | None = None,
) -> MaskingResult:
    """Turn a repository into certified masked tasks, by running it.

    `command` makes the numbers, `metrics` says where they are (`NAME=FILE.json:dotted.path` or
    `NAME=stdout:REGEX`). In place of both, `tests` names test files or folders, which then are the run.
    `include` and `exclude` are patterns of functions and files. `n` is how many functions are masked together
    (`1`, or `1-3`). `keep` are patterns of files that stay although no run opens them. `full` also lets
    every honest agent and every cheat try. `on_step` gets a line for each step. The same call continues
    what was stopped.
    """
    request = MaskingOptions(
        command=command,
        metrics=metrics,
        requirements=requirements,
        paper_id=paper_id,
        tests=tests,
        test_seconds=test_seconds,
        paper=None if paper is None else Path(paper),
        describe=describe,
        include=include,
        exclude=exclude,
        proved_limit=proved_limit,
        minutes=minutes,
        processes=processes,
        runs=runs,
        seconds=seconds,
        vary=vary,
        vary_arguments=vary_arguments,
        functions=functions,
        mutants=mutants,
        selection=Selection(n=parse_n(n), sample=sample, seed=seed),
        scrub=scrub,
        keep=keep,
        report=on_step or ignore_line,
    )
    tasks = make_tasks(Path(repository), Path(out), request)
    if full:
        _prove_in_full(Path(out), tasks, on_plan, on_finish)
    return tasks


def _prove_in_full(
    out: Path,
    masked: MaskingResult,
    on_plan: Callable[[int, int], None] | None,
    on_finish: Callable[[Finished], None] | None,
) -> None:
    """Add what `assay certify` proves to each certificate."""
    certificates = certify(load_suite(out / "tasks"), out / "certify", tell=on_finish, announce=on_plan)
    by_task = {certificate.task: certificate for certificate in certificates}
    for number, (folder, task) in enumerate(masked.tasks.items()):
        combined = with_full_proof(masked.certificates[number], by_task[task.id], task)
        write_certificate(folder, combined)
        masked.certificates[number] = combined


@outside_event_loop
def harvest(
    packages: str | Path,
    out: str | Path,
    *,
    on: str = "local",
    processes: int | None = None,
    n: str = "1",
    sample: int | None = None,
    functions: int = 12,
    proved_limit: int = 8,
    mutants: int = 12,
    test_seconds: float = 2.0,
    minutes: float = 5.0,
    total_minutes: float | None = None,
    seed: int = 0,
    weak_model: Mapping[str, float] | None = None,
    on_step: Callable[[str], None] | None = None,
) -> HarvestResult:
    """Turn a list of packages into one suite of certified masked tasks, split by package.

    `packages` is the file of the list, `on` is `local`, `ray` or `ray://HOST:PORT`. `minutes` is for one
    package and `total_minutes` for all: no proof starts later. `weak_model` has the share of a weak model's
    attempts that pass, by task. The same call continues a stopped one, and one with another `n` adds tasks
    from the proved functions. `on_step` gets a line for each package.
    """
    settings = HarvestSettings(
        functions=functions,
        proved_limit=proved_limit,
        mutants=mutants,
        test_seconds=test_seconds,
        minutes=minutes,
        selection=Selection(n=parse_n(n), sample=sample, seed=seed),
    )
    options = HarvestOptions(
        packages=Path(packages),
        out=Path(out),
        on=on,
        processes=processes,
        total_minutes=total_minutes,
        settings=settings,
        weak_model=weak_model or {},
        report=on_step or ignore_line,
    )
    return harvest_packages(options)


@outside_event_loop
def curate(
    paper: str | Path,
    repository: str | Path,
    out: str | Path,
    *,
    commit: str | None = None,
    licence: str | None = None,
    seconds: float = 120.0,
    runs: int = 3,
    commands: int = 12,
    python: str | None = None,
    last_stage: str = "publish",
    literature: bool = False,
    ideation: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    on_step: Callable[[str], None] | None = None,
) -> CurationResult:
    """Turn a paper and its repository into certified experiment tasks.

    `out` is the folder of the stage files: the same call continues what was stopped, and makes again only
    what depends on a changed input. `last_stage` is where it ends. `literature` also makes a task in which
    passages of the paper are found that decide claims. `ideation` (`auto` or BASELINE=METHOD, two functions)
    also makes a task in which a baseline is improved and the gains are predicted. `model` proposes commands
    and links, which count once a run confirms them, and writes texts where rules leave gaps. `on_step` gets a
    line for each step.
    """
    stage = next((name for name in STAGES if name == last_stage), None)
    if stage is None:
        raise UsageError(f"there is no stage {last_stage!r}", hint=f"the stages are {', '.join(STAGES)}")
    options = CurationOptions(
        paper=Path(paper),
        repository=str(repository),
        out=Path(out),
        commit=commit,
        licence=licence,
        seconds=seconds,
        runs=runs,
        commands=commands,
        python=python,
        last_stage=stage,
        literature=literature,
        ideation=ideation,
        model=ModelChoice(model, base_url) if model else None,
        report=on_step or ignore_line,
    )
    return curate_paper(options)


@outside_event_loop
def build_environment(
    repository: str | Path | None = None,
    *,
    paper: str | None = None,
    commit: str | None = None,
    before: date | None = None,
    python: str | None = None,
    smoke: str | None = None,
    seconds: float = 600.0,
    install: bool = True,
    gpu: bool | None = None,
    out: str | Path | None = None,
    on_step: Callable[[str], None] | None = None,
) -> BuiltEnvironment:
    """Build the Python environment of a repository, verify it in the sandbox, and lock it.

    `paper` is a paper of an installed benchmark, in place of a repository. `before` is the last day of
    releases, else the day of the commit. `smoke` is a short command of the repository. The lock is also
    written to `out`.
    """
    if (repository is None) is (paper is None):
        raise UsageError("name either a repository or a paper", hint="build_environment('folder')")
    if paper is not None:
        source = find_paper(paper)
        repository, before, out = source.repository, before or source.before, out or source.lock
    assert repository is not None
    request = BuildRequest(Path(repository), commit, before, python, smoke, seconds, install, gpu)
    environment = build(request, report=on_step or ignore_line)
    if out is not None:
        write_lock(environment.lock, Path(out))
    return environment


@outside_event_loop
def read_environment(lock: str | Path) -> EnvironmentLock:
    """Read a lock that `build_environment` wrote: pins, repairs, and how far the environment works."""
    return read_lock(Path(lock))
