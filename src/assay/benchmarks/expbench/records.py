"""Reads EXP-Bench's published tasks as small records; corrects defects of the files and reports each one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from assay.benchmarks.expbench.contamination import TaskText, find_contaminated
from assay.benchmarks.expbench.papers import Paper, read_papers
from assay.benchmarks.expbench.paths import all_inside, foreign
from assay.benchmarks.expbench.variables import DesignVariable, read_variables
from assay.benchmarks.source_folders import read_file, refuse_linked_folders
from assay.errors import TaskError, UsageError

Type = Literal["T1", "T2", "T3"]
"""T1: files were masked. T2: made from the repository, which keeps them. T3: no implementation was found."""

DefectKind = Literal[
    "wrapped", "ambiguity", "roles", "method", "duplicate", "prefix", "table", "leak", "foreign"
]

CITED = re.compile(r"\b(?:Table|Figure|Fig\.)\s*\d+")
DECIMAL = re.compile(r"\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong with a published task, and how it is read nevertheless."""

    kind: DefectKind
    """wrapped: the design is inside a second key. ambiguity: there is other data in its place. roles: a name
    has two roles. method: an object instead of a text. duplicate: the question of another task. prefix:
    paths of the authors' machine. table: cites a table or figure that the agent cannot see. leak: the prompt
    contains a decimal of the outcome. foreign: it contains another paper's text."""
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """One published task."""

    id: str
    """`iclr2024/17388/0`: conference, paper, position in the paper's file."""
    paper: Paper
    type: Type
    mode: str | None
    """How a T2 task was made, A or B."""
    question: str
    method: str
    instructions: str
    """What the published prompt contains besides question and method; empty for T3."""
    outcome: str
    variables: tuple[DesignVariable, ...]
    requirements: tuple[str, ...]
    source: tuple[str, ...]
    """The files of an implementation, as paths in the repository."""
    masked: tuple[str, ...]
    """The files that are removed from the repository."""
    usage: str
    """How to run the source, in the authors' words."""
    no_answer: str | None
    """Why no implementation was found."""
    defects: tuple[Defect, ...]

    @property
    def prompt(self) -> str:
        """All text of the task that the published prompt contains."""
        return "\n".join((self.question, self.method, self.instructions))

    @property
    def is_foreign(self) -> bool:
        """Whether the task contains another paper's text."""
        return any(defect.kind == "foreign" for defect in self.defects)

    @property
    def leaked(self) -> list[str]:
        """The decimals of the outcome that occur in the prompt."""
        prompt_decimals = set(DECIMAL.findall(self.prompt))
        return sorted({decimal for decimal in DECIMAL.findall(self.outcome) if decimal in prompt_decimals})

    @property
    def measured_decimals(self) -> list[str]:
        """The decimals of the outcome that are not settings (values of constant or independent variables)."""
        setting_values = [
            value for variable in self.variables if variable.role != "dependent" for value in variable.values
        ]
        settings = set(DECIMAL.findall(" ".join(map(str, setting_values))))
        return sorted(set(DECIMAL.findall(self.outcome)) - settings)

    @property
    def gradable(self) -> dict[str, int]:
        """How many items each phase is graded on."""
        return {
            "design": len(self.variables),
            "implementation": len(self.requirements),
            "execution": 1,
            "conclusion": 1,
        }


@dataclass(frozen=True)
class Records:
    """Everything that was published."""

    root: Path
    papers: dict[str, Paper] = field(default_factory=dict)
    """Paper id → paper."""
    tasks: list[Record] = field(default_factory=list)

    def of(self, paper: Paper) -> list[Record]:
        """Return the tasks of one paper."""
        return [task for task in self.tasks if task.paper is paper]


def task_files(root: Path) -> list[Path]:
    """Return the task files, one per paper; archived drafts, which have other names, do not count."""
    candidates = root.glob("outputs/logs/*/*/*_complete_final.json")
    return sorted(path for path in candidates if path.name == f"{path.parent.name}_complete_final.json")


def find_root(folder: Path) -> Path:
    """Return the folder with `outputs/logs`: the folder itself, or benchmark/exp_bench in a checkout."""
    for root in (folder, folder / "benchmark" / "exp_bench"):
        if task_files(root):
            refuse_linked_folders(root / "outputs", folder)
            return root
    raise UsageError(
        f"{folder} contains no tasks of EXP-Bench",
        hint="expected outputs/logs/CONFERENCE/PAPER/PAPER_complete_final.json in it",
    )


def read_records(folder: Path) -> Records:
    """Read everything that was published, in the order of conferences, papers and files."""
    root = find_root(folder)
    records = Records(root)
    find_paper = read_papers(root)
    task_by_question: dict[str, str] = {}
    for path in task_files(root):
        conference, paper_id = path.parts[-3:-1]
        paper = find_paper(conference, paper_id)
        records.papers[paper_id] = paper
        for number, task in enumerate(_questions(path, root)):
            name = f"{conference}/{paper_id}/{number}"
            record = _record(name, paper, task, task_by_question.get(_words(task.get("question"))))
            task_by_question.setdefault(_words(record.question), name)
            records.tasks.append(record)
    records.tasks[:] = _with_foreign_text(records)
    return records


def _with_foreign_text(records: Records) -> list[Record]:
    """Return the tasks; those that contain another paper's text have a defect that says so."""
    texts = [TaskText(task.id, task.paper.name, f"{task.prompt}\n{task.outcome}") for task in records.tasks]
    papers = {paper.name: paper.vocabulary for paper in records.papers.values()}
    contaminated = find_contaminated(texts, papers)
    tasks = []
    for task in records.tasks:
        if task.id in contaminated:
            foreign = contaminated[task.id]
            text = f"{foreign.words} words are the text of {foreign.paper}; left out unless asked for"
            task = replace(task, defects=(*task.defects, Defect("foreign", text)))
        tasks.append(task)
    return tasks


def _questions(path: Path, root: Path) -> list[dict[str, Any]]:
    try:
        questions = json.loads(read_file(path, root))["questions"]
    except (ValueError, KeyError, TypeError) as error:
        raise TaskError(str(path), f"is not a list of tasks: {error}") from None
    if not isinstance(questions, list) or not all(isinstance(question, dict) for question in questions):
        raise TaskError(str(path), "`questions` is not a list of objects")
    return questions


def _record(name: str, paper: Paper, task: Mapping[str, Any], twin: str | None) -> Record:
    for key in ("question", "method", "expected_outcome", "design_complexity"):
        if not task.get(key):
            raise TaskError(name, f"has no {key!r}")
    defects: list[Defect] = []
    variables, complaints = read_variables(task["design_complexity"])
    defects += [Defect(kind, text) for kind, text in complaints]
    if twin is not None:
        defects.append(Defect("duplicate", f"asks the question of {twin}; both are kept"))
    method = task["method"]
    if not isinstance(method, str):
        method = _outline(method)
        defects.append(Defect("method", "the method is an object, read as an outline"))
    named = [*task.get("source", []), *task.get("masked_source", [])]
    for prefix, count in foreign(named).items():
        defects.append(Defect("prefix", f"{count} paths begin with {prefix}"))
    record = Record(
        id=name,
        paper=paper,
        type="T1" if task.get("masked_source") else "T3" if "no_answer" in task else "T2",
        mode=task.get("mode"),
        question=task["question"],
        method=method,
        instructions=task.get("agent_instructions") or "",
        outcome=task["expected_outcome"],
        variables=variables,
        requirements=tuple(task.get("requirements", ())),
        source=all_inside(task.get("source", [])),
        masked=all_inside(task.get("masked_source", [])),
        usage=task.get("usage_instructions") or "",
        no_answer=task.get("no_answer"),
        defects=(),
    )
    return replace(record, defects=(*defects, *_prompt_defects(record)))


def _prompt_defects(record: Record) -> list[Defect]:
    """Return what is wrong with the prompt."""
    defects = []
    if cited := sorted(set(CITED.findall(record.prompt))):
        defects.append(Defect("table", f"cites what the agent cannot see: {', '.join(cited)}"))
    if record.leaked:
        defects.append(
            Defect("leak", f"the prompt holds decimals of the outcome: {', '.join(record.leaked)}")
        )
    return defects


def _words(question: object) -> str:
    return " ".join(re.findall(r"\w+", str(question).casefold()))


def _outline(value: object, depth: int = 0) -> str:
    """Write an object of texts as an indented list."""
    if isinstance(value, dict):
        lines = [
            f"{'  ' * depth}- {key.replace('_', ' ')}:"
            + (f"\n{_outline(inner, depth + 1)}" if isinstance(inner, dict | list) else f" {inner}")
            for key, inner in value.items()
        ]
        return "\n".join(lines)
    if isinstance(value, list):
        return "\n".join(f"{'  ' * depth}- {entry}" for entry in value)
    return f"{'  ' * depth}{value}"
