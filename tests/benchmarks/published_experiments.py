"""Tasks in EXP-Bench's published layout: small ones of our own, with every defect, and their repository."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

PAPER = "neurips2024/98316"
"""A paper that the shipped table has, so that the stand-in can be pinned."""

COMPARE = '''"""Compares the two methods."""

from method import first, second

if __name__ == "__main__":
    data = [1.0, 2.0, 4.0]
    gain_of_first = sum(first(value) for value in data)
    gain_of_second = sum(second(value) for value in data)
    print("first method:", gain_of_first)
    print("second method:", gain_of_second)
'''
METHOD = '''"""Two methods."""


def first(value):
    """Double a value."""
    return 2 * value


def second(value):
    """Add one to a value."""
    return value + 1
'''
README = """# Two methods

We study two methods of changing numbers and find that doubling them beats adding one to them by far.

Install it, then compare the methods:

```
python experiments/compare.py
```

The script does

    data = [1.0, 2.0, 4.0]
    gain_of_first = sum(first(value) for value in data)
    gain_of_second = sum(second(value) for value in data)

and the first method wins with 14.25 points. `method.py` holds both methods.
"""
ABSTRACT = (
    "Abstract:We study two methods of changing numbers and find that doubling them beats adding one to them"
)
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# A walk\n", "Run experiments/compare.py first."]},
        {
            "cell_type": "code",
            "source": [
                "%matplotlib inline\n",
                "from method import first\n",
                "from steps.halve import halve\n",
            ],
            "outputs": [],
        },
        {
            "cell_type": "code",
            "source": "print('doubled:', halve(first(42)))",
            "outputs": [{"output_type": "stream", "text": ["doubled: 42\n", "gain 14.25\n"]}],
        },
    ],
    "metadata": {},
    "nbformat": 4,
}
DESIGN = {
    "constant_variables": {"data": "three numbers", "seeds": ["0"]},
    "independent_variables": {"method": ["first", "second"]},
    "dependent_variables": {"gain": "the sum of the changed numbers"},
}
PLAIN = {
    "question": "Does the first method beat the second?",
    "method": "Run both on the same numbers, as in Table 3. The gain is near 14.25 and never 7.",
    "expected_outcome": "The first method gains 14.25 where the second gains 10.",
    "design_complexity": DESIGN,
}
T1 = {
    **PLAIN,
    "source": ["/workspace/experiments/compare.py"],
    "masked_source": ["/workspace/experiments/compare.py"],
    "usage_instructions": "Execute it with 'python /workspace/experiments/compare.py'. It compares them.",
    "agent_instructions": "Write a script that compares the methods.",
    "requirements": [
        "Step 1: Load the numbers (/workspace/experiments/compare.py:6)",
        "Step 2: Double them (/workspace/method.py:4-6)",
        "Final Step: Compare the gains (usage_instructions)",
    ],
}
T2 = {
    **PLAIN,
    "question": "How is a number doubled?",
    "method": {"setup": {"goal": "Double it"}, "steps": ["one", "two"]},
    "mode": "A",
    "design_complexity": {"design_complexity": DESIGN},
    "source": ["workspace/examples/walk.ipynb", "/tmp/repos/two/method.py"],
    "usage_instructions": "1. Import it. 2. Call it.",
    "agent_instructions": "Double a number.",
    "requirements": ["Step 1: Double it (/workspace/examples/walk.ipynb:1-9)"],
}
T3 = {
    **PLAIN,
    "design_complexity": {"design_ambiguity": {"ambiguous_variables": {}}},
    "no_answer": "nothing was found",
}


def shared_tasks() -> Path:
    """The published tasks, where this machine has them."""
    stated = os.environ.get("ASSAY_SHARED_DATA")
    near = [parent / "shared" / "data" for parent in Path(__file__).resolve().parents]
    for folder in [Path(stated)] if stated else near:
        if (folder / "expbench" / "upstream").is_dir():
            return folder / "expbench" / "upstream"
    pytest.skip("the published tasks of EXP-Bench are not in ../shared/data")


def write_tasks(root: Path, name: str = PAPER) -> Path:
    """A copy of the benchmark with one paper of three tasks, one of each type."""
    conference, paper = name.split("/")
    folder = root / "outputs" / "logs" / conference / paper
    folder.mkdir(parents=True)
    (root / "logs" / conference).mkdir(parents=True, exist_ok=True)
    (folder / f"{paper}_complete_final.json").write_text(json.dumps({"questions": [T1, T2, T3]}))
    about = {
        "id": paper,
        "title": "Two methods",
        "abstract": ABSTRACT,
        "reproduce_difficulty": {
            "difficulty": 2,
            "resource_requirements": {"GPUs": "Not required", "API_calls": "None"},
        },
    }
    (root / "logs" / conference / f"{paper}_stars-100.json").write_text(json.dumps(about) + "\n")
    return root


def write_repository(root: Path) -> str:
    """The repository of the stand-in; its commit."""
    texts = {
        "README.md": README,
        "method.py": METHOD,
        "experiments/compare.py": COMPARE,
        "old/compare_copy.py": COMPARE,
        "examples/walk.ipynb": json.dumps(NOTEBOOK),
        "lib/steps/halve.py": "def halve(value):\n    return value / 2\n",
        "docs/data.txt": "14.25\n",
        "data/numbers.txt": "14.25\n",
        "odd\\name.txt": "odd\n",
        "paper.pdf": "%PDF",
        ".gitattributes": "method.py export-ignore\n",
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "link.py").symlink_to("method.py")
    (root / "out.py").symlink_to("/etc/passwd")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return said.stdout.strip()
