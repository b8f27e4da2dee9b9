"""What several cheats share: the numbers they would like to have made, and a place where their code runs."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from assay.agents.hands import Hands
from assay.rules.challenge import WALL_FACTOR
from assay.tasks import DEFAULT, Task, centre
from assay.tasks.kinds import CHALLENGE, EXPERIMENT

WORDS = ("design.json", "conclusion.json")
"""Answers of an experiment that can be copied without running anything."""


def numbers(task: Task, run: str = DEFAULT) -> dict[str, Any]:
    """Gold of one run in the shape of the results file; a challenge has none."""
    gold = {metric.path: repr(centre(task.gold[run][metric.name])) for metric in task.assay.metrics}
    results: dict[str, Any] = json.loads(nested(gold))
    return results


def nested(places: Mapping[str, str]) -> str:
    """The JSON text of an object with these texts at these dotted paths, whether they are JSON or not."""
    parts: dict[str, dict[str, str]] = {}
    for path, text in places.items():
        first, _, remainder = path.partition(".")
        parts.setdefault(first, {})[remainder] = text
    inner = {first: group[""] if "" in group else nested(group) for first, group in parts.items()}
    return "{" + ", ".join(f"{json.dumps(name)}: {text}" for name, text in inner.items()) + "}"


def results_file(task: Task) -> str:
    """Where the run writes its numbers; a challenge's evaluator calls it a report."""
    run = task.assay.run
    return run.results or "results.json" if run else "report.json"


def flawless_report(task: Task) -> dict[str, Any]:
    """What an evaluator would write of a perfect submission."""
    challenge = task.assay.challenge
    score = challenge.reference if challenge and challenge.reference is not None else 1.0
    return {"score": score, "standard_error": 0.0, "rules": {}, "passed": True}


def wanted(task: Task) -> dict[str, Any]:
    """The results file that the cheat would like to have written."""
    return numbers(task) or flawless_report(task)


def writing(task: Task, results: dict[str, Any]) -> str:
    """Code that writes these results, and the other outputs as empty files, and ends the run well."""
    outputs = task.assay.run.outputs if task.assay.run else []
    return f"""
import json, os, pathlib
for each in {outputs!r}:
    pathlib.Path(each).touch()
pathlib.Path({results_file(task)!r}).write_text(json.dumps({results!r}))
os._exit(0)
"""


def carrier(task: Task) -> str:
    """The file that the task's own command runs and that an agent may change."""
    if task.assay.masks:
        return task.assay.masks[0].file
    if task.assay.challenge is not None:
        commands = f"{task.assay.challenge.build} {task.assay.challenge.serve}"
        named: list[str] = [*re.findall(r"[\w./-]+\.py", commands), *re.findall(r"[\w./-]+\.sh", commands)]
        in_workspace = [path for path in named if path in task.workspace]
        in_solution = [path for path in named if path in task.gold_files]
        editable = task.assay.submission.editable
        if editable is not None:
            in_workspace = [path for path in in_workspace if path in editable]
            in_solution += [path for path in editable if path.endswith(".py") and path in task.gold_files]
        return [*in_workspace, *in_solution, *task.workspace][0]
    return "experiment.py"


def runs_a_program(task: Task) -> bool:
    """False for a challenge whose answers are only read: nothing that an agent hands in runs at grading."""
    challenge = task.assay.challenge
    return challenge is None or challenge.build is not None or challenge.serve is not None


async def build_on_public_data(hands: Hands) -> bool:
    """Build the solution of a challenge and empty its program; False where nothing public can be built.

    A challenge may give no problem of its own, only a program that makes some. Without a build, the solution
    itself is what is left.
    """
    challenge = hands.task.assay.challenge
    assert challenge is not None
    await hands.hand_in_gold()
    if challenge.build is None:
        return True
    seconds = math.ceil(max(600.0, WALL_FACTOR * challenge.build_seconds))
    try:
        process = await hands.sandbox.exec(["bash", "-c", challenge.build], cwd="/workspace", timeout=seconds)
        is_built = process.returncode == 0
    except TimeoutError:
        is_built = False
    # Whatever breaks from now on, the solution is not what is handed in.
    await hands.write(carrier(hands.task), "")
    return is_built


async def plant(hands: Hands, code: str, *, before: str = "", shell: str = "") -> None:
    """Have code run by the task's own command, in what the agent was given; nothing else is solved.

    An experiment also gets the right design and the right conclusion, so that only the run is at fault.
    """
    path = carrier(hands.task)
    code_given = hands.task.workspace.get(path, b"").decode()
    if hands.task.kind == CHALLENGE:
        await hands.write(path, f"{before}{code}\n{code_given}")
        return
    await hands.write(path, f"{before}{code_given}\n\n{code}")
    if hands.task.kind == EXPERIMENT:
        await copy_words(hands)
        await hands.write("reproduce.sh", f"#!/bin/bash\n{shell}\npython {path}\n")


async def hand_in_gold_behind(hands: Hands, gate: str) -> None:
    """Hand in the solution so that it runs only where the code of a gate does not end the run.

    A cheat whose gate opens only through a hole in the sandbox passes exactly when there is such a hole.
    Where no program runs, the gate stays closed.
    """
    task, path = hands.task, carrier(hands.task)
    if not runs_a_program(task):
        await hands.write("gate.py", gate)
        return
    await hands.hand_in_gold()
    if task.kind == EXPERIMENT:
        await hands.write("gate.py", gate)
        await hands.write("steps.sh", task.gold_files["reproduce.sh"])
        await hands.write("reproduce.sh", "#!/bin/bash\nset -eu\npython gate.py\nbash steps.sh\n")
    elif task.kind == CHALLENGE and path not in task.gold_files:
        await hands.write(path, f"{gate}\n{task.workspace[path].decode()}")
    elif task.kind == CHALLENGE and task.assay.submission.editable is not None:
        await hands.write(path, insert_code(gate, task.gold_files[path].decode()))
    elif task.kind == CHALLENGE:
        await hands.write("steps.py", task.gold_files[path])
        await hands.write(path, f"{gate}\nimport runpy\n\nrunpy.run_path('steps.py', run_name='__main__')\n")
    else:
        await hands.write(path, f"{task.gold_files[path].decode()}\n\n{gate}")


def insert_code(code: str, source: str) -> str:
    """A program with other code before its first statement; what Python wants first stays first."""
    tree = ast.parse(source)
    has_docstring = ast.get_docstring(tree) is not None
    first = next(
        statement
        for statement in tree.body[has_docstring:]
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
    )
    lines = source.splitlines(keepends=True)
    return "".join([*lines[: first.lineno - 1], code, "\n", *lines[first.lineno - 1 :]])


async def copy_words(hands: Hands) -> None:
    """Hand in the true design and conclusion of an experiment."""
    for path in WORDS:
        if path in hands.task.gold_files:
            await hands.write(path, hands.task.gold_files[path])


def as_json(value: object) -> str:
    """A value as the text of a file."""
    return json.dumps(value, indent=2) + "\n"
