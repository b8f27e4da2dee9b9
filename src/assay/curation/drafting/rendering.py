"""A draft as a task folder: instruction, workspace, solution, truth and broken variants."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit

from assay.curation.drafting.broken_variants import broken_variants, design_document
from assay.curation.drafting.gold import OTHER
from assay.curation.drafting.instruction import instruction_of, run_seconds
from assay.curation.drafting.model import DraftMetric, TaskDraft
from assay.curation.drafting.noise import confidence
from assay.curation.drafting.solution import (
    as_json,
    injected,
    solution_code,
)
from assay.curation.drafting.unread_results import without_lines
from assay.curation.settings import ExperimentSetting, find_settings
from assay.tasks import DEFAULT, AssayTable, Metric, Run, SubmissionRules, Task, TaskConfig, Variation
from assay.tasks.config import AgentSection, EnvironmentSection, Metadata, Package
from assay.tasks.lock import EnvironmentLock
from assay.tasks.metric import Strict
from assay.tasks.truth import Conclusion, Design, Requirement, Requirements, Variable
from assay.workspace.notebooks import notebook_script

CHECK = "checks/table.py"
OUTPUT = "table.csv"
SETTINGS_FILE = "data/settings.json"


def render_task(
    draft: TaskDraft, workspace: Mapping[str, bytes], scripts: Mapping[str, bytes], lock: EnvironmentLock
) -> Task:
    """Return the task of a draft without gaps."""
    settings = [probe.setting for probe in draft.settings]
    settings += seed_settings(scripts) if draft.seeded else []
    fresh = draft.fresh_setting or None
    code = solution_code(draft.commands, draft.metrics, draft.power, scripts, settings, fresh=fresh)
    design = Design(
        variable=[
            Variable(name=entry.name, role=entry.role, values=list(entry.values), synonyms=entry.synonyms)
            for entry in draft.design
        ]
    )
    conclusion = Conclusion(claim=[entry.claim for entry in draft.claims])
    answers = {claim.id: claim.answer for claim in conclusion.claim}
    solution = {
        **code,
        "design.json": as_json(design_document(design)),
        "conclusion.json": as_json({"summary": "The runs answer every question.", "claims": answers}),
    }
    tests = {
        "results.json": as_json(_gold(draft)),
        "design.toml": _toml(design),
        "requirements.toml": _toml(_requirements(draft)),
        "conclusion.toml": _toml(conclusion),
        CHECK: injected("check_table.py").encode(),
    }
    if draft.varied:
        tests[SETTINGS_FILE] = as_json(draft.varied)
    for name, files in broken_variants(draft, scripts, settings, code, design, conclusion).items():
        tests |= {f"broken/{name}/{path}": data for path, data in files.items()}
    return Task(
        config=_config(draft, lock),
        instruction=instruction_of(draft),
        environment={f"workspace/{path}": data for path, data in workspace.items()},
        solution={f"files/{path}": data for path, data in solution.items()},
        tests=tests,
    )


def seed_settings(scripts: Mapping[str, bytes]) -> list[ExperimentSetting]:
    """Return the seeds of the scripts."""
    return [
        setting
        for path, data in scripts.items()
        if path.endswith(".py")
        for setting in find_settings(path, data.decode(errors="replace"), ())
        if setting.kind == "seed"
    ]


def workspace_of(draft: TaskDraft, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the agent's files: the repository without what the draft lists as removed."""
    removed = {entry.path: entry.lines for entry in draft.removed}
    return {
        path: without_lines(data, removed[path]) if path in removed else data
        for path, data in files.items()
        if path not in removed or removed[path]
    }


def scripts_of(draft: TaskDraft, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that hold the experiment; a notebook as the script that ran."""
    scripts = {}
    for command in draft.commands:
        if command.script in files:
            scripts[command.script] = files[command.script]
        elif command.script.endswith("_notebook.py"):
            notebook = f"{command.script.removesuffix('_notebook.py')}.ipynb"
            scripts[command.script] = notebook_script(files[notebook]) or b""
    return scripts


def _gold(draft: TaskDraft) -> dict[str, dict[str, list[float]]]:
    names = [DEFAULT, *([OTHER] if draft.varied else [])]
    return {name: {metric_name(metric): metric.gold[name] for metric in draft.metrics} for name in names}


def metric_name(metric: DraftMetric) -> str:
    """Return the name of a number in verdicts."""
    return f"{metric.row}, {metric.column}"


def _config(draft: TaskDraft, lock: EnvironmentLock) -> TaskConfig:
    variations = [Variation(name=OTHER, data=SETTINGS_FILE)] if draft.varied else []
    if draft.seeded:
        variations.append(Variation(name="fresh-seed", fresh=True))
    elif draft.fresh_setting:
        variations.append(Variation(name="fresh-setting", fresh=True))
    seconds = run_seconds(draft)
    table = AssayTable(
        id=draft.id,
        kind="experiment",
        python=lock.python,
        requirements=lock.requirements,
        run=Run(command="bash reproduce.sh", results="results.json", outputs=[OUTPUT], seconds=seconds),
        metrics=[
            Metric(
                name=metric_name(metric),
                path=metric.path,
                absolute=metric.absolute,
                confidence=confidence(len(draft.metrics)),
            )
            for metric in draft.metrics
        ],
        variations=variations,
        submission=SubmissionRules(required=["design.json", "reproduce.sh", "conclusion.json"]),
        labels={"origin": "curated", "table": draft.table},
    )
    return TaskConfig(
        task=Package(name=f"assay/{draft.id}", description=draft.title.value[:120]),
        metadata=Metadata(assay=table),
        agent=AgentSection(timeout_sec=max(1800.0, 20 * seconds)),
        environment=EnvironmentSection(memory_mb=4096),
    )


def _requirements(draft: TaskDraft) -> Requirements:
    return Requirements(
        requirement=[
            Requirement(
                id=entry.id,
                text=entry.text,
                check=CHECK if entry.id == "table" else None,
                gold=list(entry.gold),
                facts=list(entry.facts),
            )
            for entry in draft.requirements
        ]
    )


def _toml(model: Strict) -> bytes:
    return tomlkit.dumps(model.model_dump(exclude_defaults=True, exclude_none=True)).encode()
