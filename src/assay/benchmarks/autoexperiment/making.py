"""Makes masked tasks from AutoExperiment's rows, the experiments of the functions, and a source tree."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.benchmarks.autoexperiment.papers import DATA, paper
from assay.benchmarks.autoexperiment.rows import PublishedExperiment, Rows
from assay.benchmarks.autoexperiment.sources import Definition, locate
from assay.errors import TaskError
from assay.masking.dial import combined_id
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
)
from assay.tasks.kinds import MASKED
from assay.tasks.metric import Metric
from assay.tasks.model import Task
from assay.tasks.validation import validate

RUNNER = "run_experiments.py"
LISTING = "experiments.json"
PAPER = "paper.txt"
EXCERPTS = "excerpts.json"
"""tests/: function → the part of the paper that describes it."""
TOLERANCE = 0.05
"""As published, but relative to |gold|, and for each number separately."""
ATTEMPT_SECONDS = 3600.0


@dataclass(frozen=True)
class SourceTree:
    """A paper's source tree, and where its published functions are in it.

    All functions are located together: only this distinguishes functions with the same name.
    """

    tree: Mapping[str, bytes]
    definitions: Mapping[str, Definition]


def read_source(rows: Rows, paper_id: str, tree: Mapping[str, bytes]) -> SourceTree:
    """Locate a paper's published functions in its source tree."""
    return SourceTree(tree, locate(list(rows.functions[paper_id].values()), tree))


def make_task(rows: Rows, paper_id: str, ids: Sequence[str], source: SourceTree) -> Task:
    """Make the task that masks these functions in a paper's source tree."""
    tree = source.tree
    missing = [number for number in ids if number not in rows.functions[paper_id]]
    experiments = rows.relevant(paper_id, tuple(ids))
    name = combined_id(paper_id, ids)
    if missing or not experiments:
        reason = f"has no function {missing[0]}" if missing else "has no experiment that depends on it"
        raise TaskError(name, reason, hint="`assay audit autoexperiment` lists what is wrong with the rows")
    definitions = {number: source.definitions[number] for number in ids}
    named = {f"Experiment {number}": experiment for number, experiment in enumerate(experiments, 1)}
    masks = [
        Mask(file=definition.published.file, function=definition.function.name)
        for definition in definitions.values()
    ]
    files = sorted({mask_entry.file for mask_entry in masks})
    workspace = {
        **tree,
        **{file: _masked(file, tree[file], definitions.values()) for file in files},
        RUNNER: (DATA / RUNNER).read_bytes(),
        LISTING: _listing(paper_id, named),
    }
    tests = {"results.json": _gold(named)}
    excerpts = {definition.function.name: definition.published.excerpt for definition in definitions.values()}
    if any(excerpts.values()):
        tests[EXCERPTS] = json.dumps(excerpts, indent=2).encode()
    return validate(
        Task(
            config=_config(name, paper_id, masks, named, PAPER in tree),
            instruction=_instruction(paper_id, named, masks),
            environment={f"workspace/{path}": data for path, data in workspace.items()},
            solution={f"files/{file}": tree[file] for file in files},
            tests=tests,
        )
    )


def _masked(file: str, source: bytes, definitions: Iterable[Definition]) -> bytes:
    inside = [definition for definition in definitions if definition.published.file == file]
    descriptions = {
        definition.function.name: definition.published.description
        for definition in inside
        if definition.published.description
    }
    return mask(source, [definition.function.name for definition in inside], description=descriptions).source


def _config(
    name: str, paper_id: str, masks: list[Mask], named: Mapping[str, PublishedExperiment], has_paper: bool
) -> TaskConfig:
    details = paper(paper_id)
    metrics = [
        Metric(name=f"{experiment} {key}", path=path, relative=TOLERANCE)
        for experiment, published in named.items()
        for key, path, _ in _numbers(experiment, published)
    ]
    return TaskConfig(
        task=Package(name=f"autoexperiment/{name.replace(',', '-')}", description=details.title),
        metadata=Metadata(
            assay=AssayTable(
                id=name,
                kind=MASKED,
                paper=PAPER if has_paper else None,
                requirements=details.requirements,
                run=Run(command=f"python {RUNNER}", results="results.json", seconds=details.seconds),
                metrics=metrics,
                masks=masks,
                submission=SubmissionRules(editable=sorted({mask_entry.file for mask_entry in masks})),
            )
        ),
        agent=AgentSection(timeout_sec=ATTEMPT_SECONDS),
        environment=EnvironmentSection(memory_mb=details.memory_mb, storage_mb=8192, gpus=details.gpus),
    )


def _numbers(experiment: str, published: PublishedExperiment) -> list[tuple[str, str, float]]:
    """Return the metric, the path in the results file and the gold value of each number of an experiment."""
    numbers: list[tuple[str, str, float]] = []
    for key, value in published.results.items():
        if isinstance(value, list):
            if len(value) != 1:
                raise TaskError(
                    f"{published.paper}, experiment {published.id}", f"{key} has {len(value)} values"
                )
            numbers.append((key, f"{experiment}.{key}.0", float(value[0])))
        else:
            numbers.append((key, f"{experiment}.{key}", float(value)))
    return numbers


def _gold(named: Mapping[str, PublishedExperiment]) -> bytes:
    numbers = {
        f"{experiment} {key}": [gold]
        for experiment, published in named.items()
        for key, _, gold in _numbers(experiment, published)
    }
    return json.dumps({"default": numbers}, indent=2).encode()


def _listing(paper_id: str, named: Mapping[str, PublishedExperiment]) -> bytes:
    """Write what the runner reads: the commands and where each number is printed, but no gold values."""
    details = paper(paper_id)
    listed = [
        {
            "name": experiment,
            "command": f"{details.prepare}\n{published.command}",
            "metrics": {
                key: {**details.printed(key).model_dump(), "list": isinstance(value, list)}
                for key, value in published.results.items()
            },
        }
        for experiment, published in named.items()
    ]
    return json.dumps(listed, indent=2).encode()


def _instruction(paper_id: str, named: Mapping[str, PublishedExperiment], masks: list[Mask]) -> str:
    functions = "\n".join(f"- `{mask_entry.function}` in `{mask_entry.file}`" for mask_entry in masks)
    experiments = "\n".join(
        f"- {name}: {experiment.description.strip()}" for name, experiment in named.items()
    )
    return f"""# {paper(paper_id).title or paper_id}

The workspace is the code of a paper (arXiv {paper_id}), whose text is `{PAPER}` where it is there. These
functions have been emptied; their signatures and docstrings stand, with a description above:

{functions}

Fill them in so that the experiments give the paper's numbers:

{experiments}

`python {RUNNER}` runs them all, reads the numbers that they print, and writes `results.json`. Changes count
in the files of the emptied functions only, and in new files. Your code is run again from a clean copy, and
each number that this run writes is compared with the true one.
"""
