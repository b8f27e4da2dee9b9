"""Rows in AutoExperiment's published shapes: small ones of our own, and stand-in trees for the real ones."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from assay.benchmarks.autoexperiment.rows import Rows

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "autoexperiment" / "upstream_43180e0"


def shared_rows() -> Path:
    """The published rows, where this machine has them."""
    place = Path(os.environ.get("ASSAY_SHARED_DATA", SHARED))
    if not place.is_dir():
        pytest.skip("the published rows of AutoExperiment are not in ../shared/data (they carry no licence)")
    return place


METHOD = '''"""A method."""


class First:
    """The first step."""

    @staticmethod
    def step(value):
        """Double a value."""
        return value * 2.0


class Second:
    """The second step."""

    def step(self, value):
        """Add one."""
        return value + 1.0


def join(value):
    """Both steps, one after the other."""
    return Second().step(First.step(value))
'''
MAIN = """import sys

from method import First, Second, join

start = float(sys.argv[1])
print("joined:", join(start))
print("first:", First.step(start), "second:", Second().step(start))
"""


def write_own(root: Path) -> Path:
    """A repository of one paper, one experiment in a table and one function that nothing runs."""
    folder = root / "dataset" / "MLRC" / "9901.00001"
    (folder / "code").mkdir(parents=True)
    (folder / "code" / "method.py").write_text(METHOD)
    (folder / "code" / "main.py").write_text(MAIN)
    (folder / "paper.txt").write_text("We double a value, then add one, and get 7.0.\n")
    rows = [
        # Lines that are ten too low, as published ones are.
        {"func_id": "0", "name": "step", "header_line": "18", "line_start": "19", "line_end": "21"},
        {"func_id": "1", "name": "step", "header_line": "26", "line_start": "27", "line_end": "28"},
        {"func_id": "2", "name": "join", "header_line": "31", "line_start": "32", "line_end": "33"},
        {"func_id": "3", "name": "join", "header_line": "41", "line_start": "42", "line_end": "43"},
    ]
    about = {
        "paper_id": "9901.00001",
        "file": "method.py",
        "description": "A step.",
        "relevant_paper": "double",
    }
    functions = [{**about, **row} for row in rows[:3]]
    (folder / "functions.jsonl").write_text("\n".join(map(json.dumps, functions)) + "\n")
    experiment = {
        "paper_id": "9901.00001",
        "exp_id": "0",
        "description": 'Run with 3. Return {\\"joined\\": 0.0}.',
        "result": "{'joined': 7.0, 'first': [6.0], 'second': 4.0}",
        "func_dependencies": "0,1,2,8",
        "solution": "python main.py 3",
    }
    (folder / "experiments.jsonl").write_text(json.dumps(experiment) + "\n")
    results = {"Experiment 1": {"joined": 7.0, "first": [6.0], "second": 4.0}}
    tasks = [
        {"paper_id": "9901.00001", "func_ids": ids, "results": told, "solution": "python main.py 3"}
        for ids, told in (
            ("0", results),
            ("1", json.dumps(results)),
            ("2", {"Experiment 1": "{'joined': 7.0, 'first': [6.0], 'second': 4.0}"}),
            ("1", results),
            ("9", results),
        )
    ]
    table = folder.parent / "mlrc_n=1.jsonl"
    table.write_text("\n".join(map(json.dumps, tasks)) + "\n")
    return root


BODIES = (
    """
        '''What it does.'''
        total = 0
        for value in arguments:
            total += value
        return total
""",
    """
        # Begins at once.
        if not arguments:
            return None

        return arguments[0]
""",
    """
        '''A docstring
        of two lines.'''
        text = '''not a
    comment'''
        return text
""",
)


def stand_in(rows: Rows, folder: Path) -> None:
    """Trees with the published files, names and order of functions, none of the published code.

    Each function is a method of a class of its own, as those with one name in a file are in the originals,
    and stands near its published line, shifted by a few lines, with decorators and signatures of many lines
    among them.
    """
    for paper, functions in rows.functions.items():
        by_file = defaultdict(list)
        for each in functions.values():
            by_file[each.file].append(each)
        for file, inside in by_file.items():
            lines = ['"""Stand-in."""', "import functools", ""]
            for place, each in enumerate(sorted(inside, key=lambda row: row.header_line or 0)):
                wanted = (each.header_line or 0) - 6
                lines += [f"# filler {number}" for number in range(len(lines), wanted)]
                lines += [
                    "",
                    f"class Holder{place}:",
                    "    def __repr__(self):",
                    "        return 'holder'",
                    "",
                ]
                if place % 3 == 1:
                    lines += ["    @staticmethod"]
                if place % 2:
                    lines += [f"    def {each.name}(", "        *arguments,", "        key=None,", "    ):"]
                else:
                    lines += [f"    def {each.name}(*arguments, key=None):"]
                lines += BODIES[place % len(BODIES)].strip("\n").splitlines()
                lines += ["", "    after = 1"]
            path = folder / paper / "code" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
