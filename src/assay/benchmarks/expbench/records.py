"""EXP-Bench's published tasks as light records: every oddity of the files mended, and none in silence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from assay.benchmarks.expbench.papers import Paper, read_papers
from assay.benchmarks.expbench.paths import all_inside, foreign
from assay.benchmarks.expbench.variables import DesignVariable, read_variables
from assay.errors import TaskError, UsageError

Type = Literal["T1", "T2", "T3"]
"""T1: files were masked. T2: made from the repository, which keeps them. T3: no implementation was found."""

DefectKind = Literal["wrapped", "ambiguity", "roles", "method", "duplicate", "prefix", "table", "leak"]

CITED = re.compile(r"\b(?:Table|Figure|Fig\.)\s*\d+")
DECIMAL = re.compile(r"\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that was wrong with a published task, and how it is read all the same."""

    kind: DefectKind
    """wrapped: the design stood in a second key. ambiguity: there is other data in its place. roles: a name
    with two roles. method: an object in place of a text. duplicate: the question of another task. prefix:
    paths of the authors' machine. table: cites a table or figure that the agent cannot see. leak: the prompt
    holds a decimal of the outcome."""
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """One published task."""

    id: str
    """`iclr2024/17388/0`: conference, paper, place in the paper's file."""
    paper: Paper
    type: Type
    mode: str | None
    """How a T2 task was made, A or B."""
    question: str
    method: str
    instructions: str
    """What the published prompt gave beside question and method; empty for T3."""
    outcome: str
    variables: tuple[DesignVariable, ...]
    requirements: tuple[str, ...]
    source: tuple[str, ...]
    """The files that hold an implementation, as paths inside the repository."""
    masked: tuple[str, ...]
    """The files that are taken out of it."""
    usage: str
    """How the authors say that the source is run."""
    no_answer: str | None
    """Why no implementation was found."""
    defects: tuple[Defect, ...]

    @property
    def prompt(self) -> str:
        """All words of the task that the published prompt showed."""
        return "\n".join((self.question, self.method, self.instructions))

    @property
    def leaked(self) -> list[str]:
        """Decimals of the outcome that the prompt shows."""
        shown = set(DECIMAL.findall(self.prompt))
        return sorted({each for each in DECIMAL.findall(self.outcome) if each in shown})

    @property
    def telling(self) -> list[str]:
        """Decimals of the outcome that are no settings: no constant or independent variable takes them."""
        given = [value for each in self.variables if each.role != "dependent" for value in each.values]
        settings = set(DECIMAL.findall(" ".join(map(str, given))))
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
    """All that was published."""

    root: Path
    papers: dict[str, Paper] = field(default_factory=dict)
    """Paper id → paper."""
    tasks: list[Record] = field(default_factory=list)

    def of(self, paper: Paper) -> list[Record]:
        """The tasks of one paper."""
        return [task for task in self.tasks if task.paper is paper]


def task_files(root: Path) -> list[Path]:
    """The files of tasks, one a paper; an archived draft beside them, under another name, is none."""
    found = root.glob("outputs/logs/*/*/*_complete_final.json")
    return sorted(path for path in found if path.name == f"{path.parent.name}_complete_final.json")


def find_root(folder: Path) -> Path:
    """The folder with `outputs/logs`: the one given, or benchmark/exp_bench in a checkout."""
    for root in (folder, folder / "benchmark" / "exp_bench"):
        if task_files(root):
            return root
    raise UsageError(
        f"{folder} holds no tasks of EXP-Bench",
        hint="expected outputs/logs/CONFERENCE/PAPER/PAPER_complete_final.json in it",
    )


def read_records(folder: Path) -> Records:
    """Everything below a folder, in the order of conferences, papers and files."""
    root = find_root(folder)
    records = Records(root)
    about = read_papers(root)
    seen: dict[str, str] = {}
    for path in task_files(root):
        conference, paper_id = path.parts[-3:-1]
        paper = about(conference, paper_id)
        records.papers[paper_id] = paper
        for number, task in enumerate(_questions(path)):
            name = f"{conference}/{paper_id}/{number}"
            record = _record(name, paper, task, seen.get(_words(task.get("question"))))
            seen.setdefault(_words(record.question), name)
            records.tasks.append(record)
    return records


def _questions(path: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads(path.read_bytes())["questions"]
    except (ValueError, KeyError, TypeError) as error:
        raise TaskError(str(path), f"is no list of tasks: {error}") from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise TaskError(str(path), "`questions` is no list of objects")
    return found


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
    return replace(record, defects=(*defects, *_shown(record)))


def _shown(record: Record) -> list[Defect]:
    """What is wrong with the prompt."""
    found = []
    if cited := sorted(set(CITED.findall(record.prompt))):
        found.append(Defect("table", f"cites what the agent cannot see: {', '.join(cited)}"))
    if record.leaked:
        found.append(Defect("leak", f"the prompt holds decimals of the outcome: {', '.join(record.leaked)}"))
    return found


def _words(question: object) -> str:
    return " ".join(re.findall(r"\w+", str(question).casefold()))


def _outline(value: object, depth: int = 0) -> str:
    """An object of texts as an indented list."""
    if isinstance(value, dict):
        lines = [
            f"{'  ' * depth}- {key.replace('_', ' ')}:"
            + (f"\n{_outline(inner, depth + 1)}" if isinstance(inner, dict | list) else f" {inner}")
            for key, inner in value.items()
        ]
        return "\n".join(lines)
    if isinstance(value, list):
        return "\n".join(f"{'  ' * depth}- {each}" for each in value)
    return f"{'  ' * depth}{value}"
