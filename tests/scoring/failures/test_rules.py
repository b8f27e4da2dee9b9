"""The rules, on what real programs print when they really fail in the sandbox."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

import pytest

from assay.grading.run_outputs import read_results
from assay.sandbox import Confinement, SandboxLimits, run_confined
from assay.scoring.failures import FOLLOWS, recognise, recognise_run, taxonomy
from assay.tasks import Run
from assay.workspace import build_environment

PROGRAMS = {
    "missing-module": "import a_module_that_nobody_wrote",
    "bad-import": "from json import a_name_that_is_not_there",
    "missing-file": "open('data/train.csv')",
    "syntax": "def f(:\n    pass",
    "stub-left": "def step(x):\n    raise NotImplementedError('masked: step')\nstep(1)",
    "attribute": "import math\nmath.sqroot(2)",
    "index": "[1, 2][5]",
    "call": "len(1, 2)",
    "arithmetic": "print(1 / 0)",
    "assertion": "assert 1 + 1 == 3, 'the check of the program itself'",
    "recursion": "def f(n):\n    return f(n + 1)\nf(0)",
    "not-permitted": "open('/etc/new-file', 'w')",
    "no-network": "import urllib.request\nurllib.request.urlopen('http://example.org')",
    "signal": "import os\nos.abort()",
    "no-results": "print('all is well')",
    "other-crash": "import sys\nsys.exit('giving up')",
}

NUMERICAL = {
    "shape": "import numpy as np\nnp.ones((3, 4)) @ np.ones((3, 4))",
    "arithmetic": "import numpy as np\nnp.linalg.inv(np.zeros((2, 2)))",
    "out-of-memory": "import numpy as np\nnp.ones((10**6, 10**6))",
}

BROADCAST = "import numpy as np\nnp.ones((3, 4)) + np.ones((5,))"

RUN = Run(command="python run.py", results="results.json")


def _evidence(program: str, *, numpy: bool = False, seconds: float = 20, memory: int = 512) -> str:
    """What grading writes of a run of the program."""
    environment = _numpy() if numpy else None
    confinement = Confinement(
        environment=environment, limits=SandboxLimits(wall_seconds=seconds, memory_mb=memory, disk_mb=64)
    )
    outcome = asyncio.run(run_confined(confinement, ["python3", "-c", program], collect=["results.json"]))
    _, problem = read_results(RUN, outcome)
    assert problem is not None
    return problem


@cache
def _numpy() -> Path:
    return build_environment(["numpy==2.4.6"])


@pytest.mark.parametrize("kind", PROGRAMS)
def test_what_python_says_is_recognised(kind: str) -> None:
    evidence = _evidence(PROGRAMS[kind])

    assert recognise("execution.default", evidence) == kind, evidence
    assert taxonomy()[kind].phase == "execution"
    assert recognise("result.default.accuracy", f"no number: {evidence}") == FOLLOWS
    assert recognise("requirement.seeds", f"nothing to check: {evidence}") == FOLLOWS


@pytest.mark.parametrize(("kind", "program"), [*NUMERICAL.items(), ("shape", BROADCAST)])
def test_what_numpy_says_is_recognised(kind: str, program: str) -> None:
    evidence = _evidence(program, numpy=True)

    assert recognise("execution.default", evidence) == kind, evidence


def test_limits_are_recognised() -> None:
    endless = _evidence("while True: pass", seconds=0.5)
    hungry = _evidence("kept = []\nwhile True: kept.append(bytearray(10**7))", memory=128)

    assert recognise("execution.default", endless) == "time-out", endless
    assert recognise("execution.default", hungry) == "out-of-memory", hungry


def test_a_script_that_is_not_there_is_told_from_a_file_that_is_not() -> None:
    outcome = asyncio.run(run_confined(Confinement(), ["bash", "reproduce.sh"]))
    _, by_shell = read_results(RUN, outcome)
    outcome = asyncio.run(run_confined(Confinement(), ["python3", "run.py"]))
    _, by_python = read_results(RUN, outcome)

    assert recognise_run(str(by_shell)) == "missing-script", by_shell
    assert recognise_run(str(by_python)) == "missing-script", by_python


def test_the_last_exception_decides() -> None:
    program = (
        "try:\n    {}['a']\nexcept KeyError as error:\n    raise FileNotFoundError('weights.bin') from error"
    )

    assert recognise("execution.default", _evidence(program)) == "missing-file"


@pytest.mark.parametrize(
    ("item", "evidence", "kind"),
    [
        ("result.default.loss", "re-made 0.61, gold 0.93 ± 0.008", "wrong-number"),
        (
            "result.seed.loss",
            "re-made 0.61, gold 0.93 ± 0.008 (a run the agent could not know)",
            "wrong-unseen",
        ),
        ("result.default.loss", "no number: no 'loss' on the way to 'a.loss'", "missing-number"),
        ("design.depth", "design.json was not handed in", "design-missing"),
        ("design.depth", "the design names no 'depth'", "design-variable"),
        ("design.depth", "'depth' is called constant, it is independent", "design-role"),
        ("design.depth", "'depth' takes 1, 2, expected 1, 2, 4", "design-values"),
        ("conclusion.winner", "the conclusion does not say", "conclusion-missing"),
        ("conclusion.gain", "says 0.4, true is 0.12", "conclusion-number"),
        ("conclusion.winner", "says higher, true is lower", "conclusion-claim"),
        ("conclusion.faithful", "gain: says 0.4, its own run gives 0.12", "conclusion-unfaithful"),
        ("handed-in.design.json", "it was not handed in", "not-handed-in"),
        ("rule.parameters", "70,000 parameters, allowed are 60,000", "rule-broken"),
        ("score.reference", "3.0 bits, reference 0.6 ± 0.02, baseline 3.0 (lower)", "below-reference"),
        ("score.reference", "no score: the submission is not valid", FOLLOWS),
        ("integrity.links", "data is a link to /truth, outside the workspace; it was not followed", "link"),
        ("execution.seed", "not run, since the plain run failed", FOLLOWS),
        ("requirement.seeds", "three seeds were used, five are required", None),
    ],
)  # fmt: skip
def test_what_graders_say_is_recognised(item: str, evidence: str, kind: str | None) -> None:
    assert recognise(item, evidence) == kind
