"""A small curation's folder, written by hand: one paper, one script, drafts with every kind of field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCRIPT = '''"""Measures the error of two estimators."""

SIZE = 200
print("plain mean: error = 1.6323")
print("median: error = 0.1161")
'''
OUTPUT = "begin\nPlain mean: error = 1.6323\nMedian: error = 0.1161\n"
LATEX = r"""\documentclass{article}
\begin{document}
\begin{tabular}{lr} Estimator & Error \\ Plain mean & 1.6323 \\ Median & 0.1161 \\ \end{tabular}
\end{document}
"""
METHOD = "We draw samples of size 200. We average the absolute error over 30 samples."
HOSTILE = (
    "</textarea></script><script>document.title = 'taken'</script>"
    "<img src=x onerror=\"document.title = 'taken'\"> [click](javascript:document.title='taken') "
    '<b hx-get="/undo" hx-trigger="load">x</b> \u202egnp.exe\u202c \u2066hidden\u2069'
)


def _paper_place(line: int, text: str = "") -> dict[str, Any]:
    return {"kind": "paper", "file": "main.tex", "line": line, "text": text}


def _cell(row: int, column: int, text: str, value: float | None) -> dict[str, Any]:
    number = (
        None
        if value is None
        else {"text": text, "value": value, "unit": 0.0001, "digits": 4, "percent": False}
    )
    place = _paper_place(11 + row, f"{('Plain mean', 'Median')[row]} | {('1.6323', '0.1161')[row]}")
    return {"row": row, "column": column, "text": text, "number": number, "place": place}


def paper(extra: str = "") -> dict[str, Any]:
    """2-paper.json."""
    return {
        "title": "Robust means",
        "format": "latex",
        "sections": [
            {
                "title": "Experiment",
                "level": 1,
                "place": _paper_place(5),
                "text": f"{METHOD}\n\nThe median has the lowest error. {extra}",
            },
            {"title": "Outlook", "level": 1, "place": _paper_place(40), "text": "Nothing is left."},
        ],
        "tables": [
            {
                "id": "tab:errors",
                "caption": "Absolute error of two estimators",
                "place": _paper_place(10),
                "columns": ["Estimator", "Error"],
                "rows": ["Plain mean", "Median"],
                "cells": [
                    _cell(0, 0, "Plain mean", None),
                    _cell(0, 1, "1.6323", 1.6323),
                    _cell(1, 0, "Median", None),
                    _cell(1, 1, "0.1161", 0.1161),
                ],
            }
        ],
    }


def _metric(row: str, label: str, printed: str, line: int) -> dict[str, Any]:
    value = float(printed)
    return {
        "row": row,
        "column": "error",
        "row_label": label,
        "column_label": "Error",
        "command": "01-experiment",
        "address": {"source": "stdout", "key": f"{label}: error = #", "occurrence": 0, "position": 0},
        "scale": 1.0,
        "printed": printed,
        "absolute": 0.01,
        "gold": {"default": [value, value], "other-settings": [value / 2, value / 2]},
        "evidence": [
            _paper_place(line, f"{label} | {printed}"),
            {"kind": "run", "file": "01-experiment", "text": "stdout"},
        ],
    }


def draft(task: str = "robust-means-tab-errors", title: str = "Absolute error") -> dict[str, Any]:
    """One draft of 6-drafts.json, with eight fields."""
    return {
        "id": task,
        "document": "paper",
        "table": "tab:errors",
        "title": {"value": title, "source": "paper", "evidence": [_paper_place(10)]},
        "question": {"value": "How large is the error?", "source": "derived", "evidence": [_paper_place(10)]},
        "method": {
            "value": METHOD,
            "source": "paper",
            "evidence": [_paper_place(5, METHOD), {"kind": "code", "file": "experiment.py", "line": 1}],
            "cuts": ["The median has the lowest error."],
        },
        "commands": [],
        "removed": [{"path": "experiment.py", "reason": "it is the experiment"}],
        "metrics": [
            _metric("plain_mean", "Plain mean", "1.6323", 11),
            _metric("median", "Median", "0.1161", 12),
        ],
        "design": [
            {
                "name": "SIZE",
                "role": "constant",
                "values": [200],
                "evidence": [{"kind": "code", "file": "experiment.py", "line": 3, "text": "SIZE = 200"}],
            }
        ],
        "requirements": [],
        "claims": [
            {
                "claim": {
                    "id": "compare-error",
                    "question": "Is error of median higher, lower or the same as that of plain_mean?",
                    "kind": "direction",
                    "paths": ["median.error", "plain_mean.error"],
                    "answer": "lower",
                    "tolerance": 0.01,
                },
                "evidence": [_paper_place(12, "Median | 0.1161")],
            }
        ],
        "seconds": 1.0,
    }


def runs() -> dict[str, Any]:
    """4-runs.json."""
    numbers = [
        {**metric["address"], "text": metric["printed"], "label": metric["row_label"], "values": [1.0]}
        for metric in draft()["metrics"]
    ]
    place = {"kind": "code", "file": "README.md", "line": 1}
    command = {"id": "01-experiment", "command": "python experiment.py", "origin": "readme", "place": place}
    return {"commands": [{"command": command, "runs": 1, "numbers": numbers, "folder": "runs/01-experiment"}]}


FIELDS = [
    "title",
    "question",
    "method",
    "number:plain_mean.error",
    "number:median.error",
    "variable:SIZE",
    "claim:compare-error",
    "workspace",
]
TASK = "robust-means-tab-errors"


def write_curation(
    root: Path, drafts: list[dict[str, Any]] | None = None, *, paper_text: str = "", command: bool = True
) -> Path:
    """Write the folder `curated` and its repository, and return the folder."""
    repository, folder = root / "robust-means", root / "curated"
    repository.mkdir(parents=True)
    folder.mkdir()
    (repository / "experiment.py").write_text(SCRIPT)
    (root / "main.tex").write_text(LATEX)
    _write(folder / "2-paper.json", paper(paper_text))
    _write(folder / "4-runs.json", runs())
    output = folder / "runs" / "01-experiment" / "0"
    output.mkdir(parents=True)
    _write(output / "outputs.json", {"stdout": OUTPUT})
    _write(folder / "6-drafts.json", {"tasks": drafts if drafts is not None else [draft()]})
    _write(folder / "stages.json", {"stages": {}})
    if command:
        _write(
            folder / "command.json",
            {"paper": str(root / "main.tex"), "repository": str(repository), "seconds": 30.0},
        )
    return folder


def drafts_of(folder: Path) -> list[dict[str, Any]]:
    """The drafts as they are in the folder."""
    tasks: list[dict[str, Any]] = json.loads((folder / "6-drafts.json").read_bytes())["tasks"]
    return tasks


def _write(file: Path, data: object) -> None:
    file.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
