"""Makes masked tasks from an experiment: its code, its paper, and a choice of functions to remove.

An experiment folder contains
    experiment.toml   read by `Experiment`
    instruction.md    description of the experiment; the list of masked functions is added to it
    code/             the whole workspace, unmasked, with the paper
    results.json      gold: variation → metric → numbers of repeated runs
    broken/<name>/    broken versions of files of code/, each wrong in one function; or broken/<name>.patch
    honest/<name>/    right versions of files of code/, written differently
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from assay.errors import TaskError
from assay.masking.engine import mask
from assay.tasks.config import (
    AgentSection,
    AssayTable,
    EnvironmentSection,
    Mask,
    Metadata,
    Package,
    Run,
    SubmissionRules,
    TaskConfig,
    Variation,
)
from assay.tasks.expansion import expand_patches
from assay.tasks.files import RelativePath, below, read_plain, read_tree
from assay.tasks.folder import MOST_TEXT
from assay.tasks.kinds import MASKED
from assay.tasks.metric import Metric, Strict
from assay.tasks.model import Task, parse_toml
from assay.tasks.validation import validate


class Broken(Strict):
    """A broken variant of the code, and its wrong function."""

    name: str
    """The folder of the variant, below broken/."""
    function: int
    """The index of the function in `functions`."""


class Experiment(Strict):
    """All of experiment.toml."""

    paper_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$")
    """The first part of the ids of its tasks."""
    title: str
    """The title of its tasks."""
    paper: RelativePath | None = None
    """The paper's text in the workspace, if there is one."""
    requirements: list[str]
    """The packages of the environment, as exact pins."""
    seconds: float = 1800.0
    """Wall-clock budget of an attempt."""
    run: Run
    """How the numbers are computed."""
    metrics: list[Metric] = Field(min_length=1)
    """The numbers that are compared."""
    variations: list[Variation] = []
    """Hidden runs with other seeds, data or settings."""
    functions: list[Mask] = Field(min_length=1)
    """The functions that can be masked; the id of a function is its index in this list."""
    broken: list[Broken] = []
    """Broken variants of the code."""
    tasks: list[list[int]] = Field(min_length=1)
    """One choice of functions for each task."""


def read_experiment(folder: Path) -> tuple[Experiment, dict[str, bytes]]:
    """Read experiment.toml and all files of an experiment folder."""
    place = f"{folder}/experiment.toml"
    experiment = parse_toml(read_plain(folder / "experiment.toml", place, MOST_TEXT), Experiment, place)
    files = read_tree(folder, str(folder))
    return experiment, expand_patches(files, below(files, "code"), str(folder))


def load_masked_tasks(folder: Path) -> list[Task]:
    """Load every task of an experiment folder."""
    experiment, files = read_experiment(folder)
    return [masked_task(experiment, files, ids) for ids in experiment.tasks]


def masked_task(experiment: Experiment, files: dict[str, bytes], ids: Sequence[int]) -> Task:
    """Return the task without the functions of these ids; its id is `{paper_id}_{ids}`."""
    unknown = [number for number in ids if not 0 <= number < len(experiment.functions)]
    if unknown or len(set(ids)) != len(ids):
        raise TaskError("experiment.toml [tasks]", f"{list(ids)} is not a choice of known functions")
    masks = [experiment.functions[number] for number in ids]
    code = below(files, "code")
    masked_files = {masked_function.file for masked_function in masks}
    gold = {path: code[path] for path in sorted(masked_files)}
    workspace = dict(code)
    for path in masked_files:
        workspace[path] = mask(
            code[path],
            [masked_function.function for masked_function in masks if masked_function.file == path],
        ).source
    broken_files = {
        f"broken/{variant.name}/{path}": data
        for variant in experiment.broken
        if variant.function in ids
        for path, data in below(files, f"broken/{variant.name}").items()
    }
    honest_files = {
        f"honest/{path}": data
        for path, data in below(files, "honest").items()
        if path.partition("/")[2] in masked_files
    }
    task = Task(
        config=_config(experiment, masks, ids),
        instruction=files["instruction.md"].decode() + _missing_functions_text(experiment, masks),
        environment={f"workspace/{path}": data for path, data in workspace.items()},
        solution={f"files/{path}": data for path, data in gold.items()},
        tests={
            "results.json": files["results.json"],
            **_variation_data(experiment, files),
            **broken_files,
            **honest_files,
        },
    )
    return validate(task)


def _config(experiment: Experiment, masks: list[Mask], ids: Sequence[int]) -> TaskConfig:
    name = f"{experiment.paper_id}_{','.join(map(str, ids))}"
    return TaskConfig(
        task=Package(name=f"assay/{name.replace(',', '-')}", description=experiment.title),
        metadata=Metadata(
            assay=AssayTable(
                id=name,
                kind=MASKED,
                paper=experiment.paper,
                requirements=experiment.requirements,
                run=experiment.run,
                metrics=experiment.metrics,
                variations=experiment.variations,
                masks=masks,
                submission=SubmissionRules(
                    editable=sorted({masked_function.file for masked_function in masks})
                ),
            )
        ),
        agent=AgentSection(timeout_sec=experiment.seconds),
        environment=EnvironmentSection(),
    )


def _variation_data(experiment: Experiment, files: dict[str, bytes]) -> dict[str, bytes]:
    data_paths = [variation.data for variation in experiment.variations if variation.data is not None]
    return {
        path: data
        for path, data in files.items()
        if any(path == data_path or path.startswith(f"{data_path}/") for data_path in data_paths)
    }


def _variation_note(experiment: Experiment) -> str:
    if any(variation.command is None for variation in experiment.variations):
        return ", also with other seeds and data (`ASSAY_SEED`, `ASSAY_DATA`)"
    return ", also with other arguments" if experiment.variations else ""


def _missing_functions_text(experiment: Experiment, masks: list[Mask]) -> str:
    names = "\n".join(
        f"- `{masked_function.function}` in `{masked_function.file}`" for masked_function in masks
    )
    run, paper = experiment.run, experiment.paper
    aim = f"reproduces the experiment of the paper, `{paper}`" if paper else "gives its numbers again"
    outputs = f"writes to `{run.results}`" if run.results else "prints"
    if run.results and run.printed:
        outputs += " and prints"
    return f"""
## What to do

These functions have been emptied; their signatures and docstrings stand:

{names}

Fill them in so that `{experiment.run.command}` {aim}.
Changes count in these files only, and in new files; other files are restored before grading.
Your code is run again from a clean copy{_variation_note(experiment)}, and the
numbers that this run {outputs} are compared one by one with the true ones.
"""
