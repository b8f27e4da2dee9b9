"""A notebook ran if a script, a kernel or `exec` executed its cells, and not if it was only opened."""

from __future__ import annotations

import json
import time

import pytest

from assay.grading import grade_now
from assay.tasks import Task, TaskConfig
from assay.workspace import Submission

CELLS = [
    "%matplotlib inline\nimport json\nimport random",
    "source = random.Random(2)\ndraws = [source.randint(1, 6) for _ in range(1000)]",
    "mean = sum(draws) / len(draws)\nmean",
    'json.dump({"mean": mean}, open("results.json", "w"))',
]
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": "# The mean of a die"},
            *({"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in CELLS),
        ],
        "nbformat": 4,
    }
).encode()
SCRIPT = "\n\n".join(CELLS).replace("%matplotlib inline", "pass").replace("\nmean\n", "\nprint(mean)\n")
GOLD = {
    "dice.ipynb": NOTEBOOK,
    "dice.notebook.py": SCRIPT.encode(),
    "reproduce.sh": b"python dice.notebook.py\n",
}


@pytest.fixture(scope="module")
def task() -> Task:
    """An experiment whose solution is a notebook."""
    run = {"command": "bash reproduce.sh", "results": "results.json", "seconds": 60.0}
    table = {"id": "dice", "kind": "experiment", "run": run}
    config = TaskConfig.model_validate({"task": {"name": "assay/dice"}, "metadata": {"assay": table}})
    requirement = '[[requirement]]\nid = "mean"\ntext = "Take the mean."\ngold = ["dice.ipynb"]\n'
    return Task(
        config=config,
        instruction="Roll a die.\n",
        environment={"workspace/README.md": b"A die.\n"},
        solution={f"files/{path}": data for path, data in GOLD.items()},
        tests={"results.json": b'{"default": {}}', "requirements.toml": requirement.encode()},
    )


def requirement_of(task: Task, changes: dict[str, bytes]) -> tuple[str, str]:
    grade = grade_now(task, Submission({**GOLD, **changes}))
    (verdict,) = [verdict for verdict in grade.verdicts if verdict.item == "requirement.mean"]
    return verdict.status, verdict.evidence


def test_a_notebook_ran_where_the_script_of_its_cells_ran(task: Task) -> None:
    status, evidence = requirement_of(task, {})
    assert status == "met", evidence
    assert "executed 3 of 3 submitted programs" in evidence


def test_a_notebook_beside_a_script_that_only_contains_its_code_did_not_run(task: Task) -> None:
    dead = "def never():\n    " + SCRIPT.replace("\n", "\n    ")
    random_number = "import json, random\njson.dump({'mean': random.random()}, open('results.json', 'w'))\n"
    status, evidence = requirement_of(task, {"dice.notebook.py": f"{random_number}{dead}\n".encode()})
    assert status == "unmet", evidence
    assert "never executed: dice.ipynb" in evidence


OPENS = b"""import json
import random

cells = json.load(open("dice.ipynb"))["cells"]
for cell in cells:
    compile("".join(cell["source"]).replace("%", "#"), "cell", "exec")
json.dump({"mean": random.random()}, open("results.json", "w"))
"""


def test_a_notebook_that_is_only_opened_and_compiled_did_not_run(task: Task) -> None:
    status, evidence = requirement_of(task, {"dice.notebook.py": OPENS})
    assert status == "unmet", evidence
    assert "never executed: dice.ipynb" in evidence


RUNS = b"""from __future__ import annotations

import ast
import json
import subprocess
import sys


def sources(name):
    return ["".join(cell["source"]) for cell in json.load(open(name))["cells"]]


names = {}
for source in sources("whole.ipynb"):
    exec(source, names)
exec(compile("\\n".join(sources("named.ipynb")), "named.ipynb", "exec"), names)
for place, source in enumerate(sources("stated.ipynb")):
    for node in ast.parse(source).body:
        if isinstance(node, ast.Expr):
            code = compile(ast.Interactive([node]), f"/tmp/kernel/{place}.py", "single", dont_inherit=True)
        else:
            code = compile(ast.Module([node], []), f"/tmp/kernel/{place}.py", "exec", dont_inherit=True)
        exec(code, names)
with open("written_later.py", "w") as script:
    script.write("\\n".join(sources("script.ipynb")))
subprocess.run([sys.executable, "written_later.py"], check=True)
json.load(open("opened.ipynb"))
"""


def notebook(prefix: str) -> bytes:
    cells = [
        f"import random\n\n{prefix}_source = random.Random(3)",
        f"def {prefix}_roll():\n    return {prefix}_source.randint(\n        1,\n        6,\n    )",
        f"{prefix}_mean = sum({prefix}_roll() for _ in range(99)) / 99\n{prefix}_mean",
        f'import json\njson.dump({{"{prefix}": {prefix}_mean}}, open("results.json", "w"))',
    ]
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]}).encode()


def test_a_notebook_ran_where_its_cells_were_executed_by_a_kernel_by_exec_or_as_a_written_script(
    task: Task,
) -> None:
    names = ("whole", "named", "stated", "script", "opened")
    notebooks = {f"{name}.ipynb": notebook(name) for name in names}
    files = {**notebooks, "run.py": RUNS, "reproduce.sh": b"python run.py\n"}
    trace = grade_now(task, Submission(files)).trace
    assert trace is not None
    ran = {path for path in trace.ran if path.endswith(".ipynb")}
    assert ran == {"whole.ipynb", "named.ipynb", "stated.ipynb", "script.ipynb"}, trace.account


def test_many_notebooks_beside_a_long_script_are_compared_in_a_moment(task: Task) -> None:
    long_script = "".join(f"v = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{line}'\n" for line in range(4_990))
    cells = ["".join(f"bb{place}=ab{line}\n" for line in range(4_990)) for place in range(8)]
    notebooks = {
        f"never_{place}.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": cell}]}).encode()
        for place, cell in enumerate(cells)
    }
    script = f"import long_script\n{SCRIPT}".encode()
    files = {**GOLD, **notebooks, "dice.notebook.py": script, "long_script.py": long_script.encode()}
    began = time.process_time()
    trace = grade_now(task, Submission(files)).trace
    assert time.process_time() - began < 25, "each line in each other takes more than a minute"
    assert trace is not None
    assert {path for path in trace.ran if path.endswith(".ipynb")} == {"dice.ipynb"}, trace.account
