"""Reads what EXP-Bench's own agents left, and writes it as folders that `assay grade --submission` reads.

Its evaluation writes, below `outputs/evaluation/CONFERENCE/PAPER/AGENT/MODEL`, for each task three files that
begin with `PAPER_task_index_N_iter_I_duration_H`: `_eval_gen.json` (design and conclusion as text),
`_eval_gen.patch` (the work, as a diff of the repository) and `_eval_judge.json` (the published judge).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.benchmarks.expbench.design_text import read_design_text
from assay.benchmarks.expbench.patches import changed_files
from assay.benchmarks.expbench.solution import Runnable
from assay.benchmarks.hand_ins import HandIn, JudgedPhases
from assay.errors import TaskError, UsageError
from assay.tasks.files import MOST_BYTES, read_plain, write_tree

SCRIPT = "reproduce_exp_bench.sh"
"""The script that EXP-Bench asks its agents for."""
_NAME = re.compile(
    r"(?P<paper>\d+)_task_index_(?P<index>\d+)_iter_(?P<iteration>\d+)_duration_(?P<hours>[\d.]+)_eval_gen\.json"
)


_JUDGED = {
    "design": "design",
    "implementation": "setup",
    "execution": "execution",
    "conclusion": "conclusion",
}
"""Our name of a phase → how the names of the judge's fields about it begin."""


def find_outputs(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    """Return the answers below a folder, with what their names say."""
    matches = [(path, _NAME.fullmatch(path.name)) for path in sorted(folder.rglob("*_eval_gen.json"))]
    named = [(path, match) for path, match in matches if match]
    if not named:
        raise UsageError(
            f"{folder} contains no output of EXP-Bench's agents",
            hint="expected files such as 98316_task_index_0_iter_1_duration_1_eval_gen.json in it or below",
        )
    return named


def task_of(match: re.Match[str], conferences: Mapping[str, str]) -> str:
    """Return the id of the task that an output answers; `conferences` is by paper."""
    paper = match["paper"]
    if paper not in conferences:
        raise UsageError(f"{match.string}: EXP-Bench has no paper {paper!r}")
    return f"{conferences[paper]}/{paper}/{match['index']}"


def import_output(
    path: Path, match: re.Match[str], task: str, workspace: Mapping[str, bytes], out: Path
) -> HandIn:
    """Write one answer as a folder of files."""
    answer = _read_json(path)
    notes: list[str] = []
    files: dict[str, bytes] = {}
    patch = path.with_name(path.name.removesuffix(".json") + ".patch")
    if patch.is_file():
        files, notes = changed_files(_read_text(patch), workspace)
    else:
        notes.append("there is no patch, so no code was handed in")
    if "design" in answer:
        text = _text(answer["design"])
        design = read_design_text(answer["design"])
        files["design.json"] = json.dumps(design, indent=2, ensure_ascii=False).encode()
        files["design.md"] = text.encode()
        count = sum(len(variables) for variables in design.values())
        notes.append(f"design: {count} variables read from the text, which is in design.md")
    if "conclusion" in answer:
        conclusion = _text(answer["conclusion"])
        table = {"summary": conclusion, "claims": {"outcome": conclusion}}
        files["conclusion.json"] = json.dumps(table, indent=2, ensure_ascii=False).encode()
    if "no_answer" in answer:
        notes.append(f"no answer: {_text(answer['no_answer'])}")
    if SCRIPT in files:
        files |= Runnable((f"bash {SCRIPT}",)).script()
    elif patch.is_file():
        notes.append(f"there is no {SCRIPT}, so nothing can be run")
    folder = out / _folder_name(path, match, task)
    folder.mkdir(parents=True)
    write_tree(files, folder)
    return HandIn(task, folder, path, _agent(path, match), tuple(notes), _judged(path))


def _folder_name(path: Path, match: re.Match[str], task: str) -> str:
    parts = [task.replace("/", "-"), *_agent(path, match).split("/"), f"iter{match['iteration']}"]
    return re.sub(r"[^\w.-]+", "_", "-".join([*parts, f"{match['hours']}h"]))


def _agent(path: Path, match: re.Match[str]) -> str:
    """Return `agent/model`, as the folders above say; empty if the folders are not those of EXP-Bench."""
    folders = path.parts[:-1]
    if match["paper"] in folders:
        return "/".join(folders[len(folders) - folders[::-1].index(match["paper"]) :])
    return ""


def _judged(path: Path) -> JudgedPhases | None:
    """Return what the published judge wrote about an answer; None if it did not judge it."""
    judge = path.with_name(path.name.replace("_eval_gen.json", "_eval_judge.json"))
    if not judge.is_file():
        return None
    scores = _read_json(judge)
    conclusion = scores.get("conclusion_score")
    executed = scores.get("execution_success")
    return JudgedPhases(
        design=_share(scores.get("design_score")),
        implementation=_share(scores.get("setup_score")),
        execution=float(executed) if isinstance(executed, bool) else None,
        conclusion={"correct": 1.0, "incorrect": 0.0, "0": 0.0}.get(str(conclusion)),
        reason=_text(scores.get("setup_monitor_comprehensive_reason") or ""),
        texts={phase: text for phase, name in _JUDGED.items() if (text := _judge_text(scores, name))},
    )


def _judge_text(scores: Mapping[str, object], name: str) -> str:
    """What the judge wrote about one phase: its explanation, and what it found wrong."""
    parts = (scores.get(f"{name}_{kind}") for kind in ("evaluation_explanation", "error_analysis", "message"))
    return " ".join(text for part in parts if part and (text := _text(part).strip()))


def _share(score: object) -> float | None:
    """Return a score in percent as a share; None for what the judge could not parse."""
    try:
        return float(str(score).rstrip("% ")) / 100
    except ValueError:
        return None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(_lines(value))


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{key}: {_text(inner)}"
    elif isinstance(value, list):
        yield from map(_text, value)
    else:
        yield str(value)


def _read_text(path: Path) -> str:
    return read_plain(path, str(path), MOST_BYTES).decode(errors="replace")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_read_text(path))
    except ValueError as error:
        raise TaskError(str(path), f"is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise TaskError(str(path), "is not a JSON object")
    return value
