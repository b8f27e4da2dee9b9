"""What an agent wrote is read in a process with limits, and who hands in what takes too long has failed."""

from __future__ import annotations

import asyncio
import json
import operator
import re
import subprocess
import sys
import time

import pytest

from assay.apart import CallPool, apart
from assay.errors import GradingError
from assay.grading import grade_now
from assay.grading.execution_trace.moving import shell_moves
from assay.grading.runs import runs_of
from assay.rules.check_submission import read
from assay.tasks import Design, Variable
from assay.workspace import Submission
from tests.tasks.examples import masked_task


def test_an_answer_and_an_error_come_back() -> None:
    assert asyncio.run(apart(operator.add, 2, 3)) == 5
    with pytest.raises(ZeroDivisionError):
        asyncio.run(apart(operator.truediv, 1, 0))


def test_what_takes_too_long_or_too_much_is_ended_and_the_next_call_works() -> None:
    pool = CallPool(cpu_seconds=1)
    with pytest.raises(GradingError, match="processor time"):
        pool.call(re.match, (r"(a+)+$", "a" * 60 + "b"), {})
    with pytest.raises(GradingError, match="memory"):
        pool.call(operator.mul, (b"x", 1 << 31), {})
    assert pool.call(operator.add, (2, 3), {}) == 5


def test_a_function_gets_a_model_as_plain_data_and_its_process_loads_no_model() -> None:
    variable = Variable(name="rate", role="independent", values=[0.1, 0.2])
    assert asyncio.run(apart(operator.attrgetter("variable"), Design(variable=[variable])))[0].values == [
        0.1,
        0.2,
    ]
    program = "import sys, assay.limited_calls, assay.rules.design; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"inspect_ai", "pydantic", "assay.tasks"}.isdisjoint(loaded.stdout.split())


def test_the_loop_goes_on_while_text_is_read() -> None:
    async def beats() -> int:
        reading = asyncio.ensure_future(apart(re.match, r"(a+)+$", "a" * 22 + "b"))
        count = 0
        while not reading.done():
            await asyncio.sleep(0)
            count += 1
        return count

    assert asyncio.run(beats()) > 100


@pytest.mark.long
def test_a_pattern_that_one_submission_makes_endless_is_that_agents_failure() -> None:
    printed = {"name": "score", "pattern": r"score: (?:[\d.]+)+;", "count": 1}
    run = {"command": "python3 run.py", "results": "results.json", "seconds": 20.0, "printed": [printed]}
    task = masked_task(run=run, variations=[])
    solution = {"files/steps.py": task.gold_files["steps.py"] + b'\nprint("score: 1;")\n'}
    task = task.model_copy(update={"solution": solution})
    assert grade_now(task, Submission(task.gold_files)).passed is not None
    endless = task.gold_files["steps.py"] + b'\nprint("score: " + "1" * 60)\n'
    done = grade_now(task, Submission({"steps.py": endless}))
    found = {each.item: each for each in done.verdicts}["execution.default"]
    assert (found.status, found.owner) == ("unmet", "agent")
    assert "not on the control" in found.evidence


def test_names_and_commands_are_read_in_time_that_grows_with_their_length() -> None:
    began = time.process_time()
    names = {f"{number:x}": 0 for number in range(60_000)}
    twice = json.dumps({"constant": names})[:-2] + ', "0": 1}}'
    assert "stands there twice" in (read("design.json", twice.encode())[1] or "")
    runs_of(masked_task(), [("echo " + "@" * 200_000, 0, ""), ("python3 " * 30_000, 0, "x." * 100_000)])
    assert time.process_time() - began < 10, "the square of these lengths takes minutes"


@pytest.mark.parametrize(
    ("script", "moves"),
    [
        ('cat > a.json <<EOF\n{"a": train}\nEOF\ncp a.json b.json\n', True),
        ('cat > a.json <<EOF\n{"a": $(train)}\nEOF\ncp a.json b.json\n', False),
        ("cat > a.json <<'END' && python b.py\nrun this\n  END\n", True),
        ("cat > a.json <<EOF\n{}\nEOF\ntrain\n", False),
        ("cat > a.json <<EOF\ntrain\n", False),
        ("python <<A\nx\nA\npython <<B\ny\nB\n", True),
    ],
)
def test_a_shell_script_is_read_without_the_texts_that_it_gives_to_commands(script: str, moves: bool) -> None:
    assert shell_moves(script) is moves


def test_many_texts_that_begin_and_never_end_are_read_in_linear_time() -> None:
    assert asyncio.run(apart(shell_moves, "exit 0\n" + "<<a\n" * 300_000)) is False
