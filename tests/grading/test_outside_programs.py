"""Programs of other languages are recorded with their arguments, from outside the sandbox."""

from __future__ import annotations

import asyncio

import pytest

from assay.grading.execution_trace.outside_programs import outside_programs
from assay.grading.execution_trace.records import ExecutionTrace, read_trace
from assay.sandbox import Confinement, Observations, Outcome, Program, run_confined
from assay.sandbox.monitor.launch_watch import why_unwatched

PROGRAMS = """
awk -v rate=0.5 'BEGIN { print rate }' > rate.txt
sh fit.sh --rounds $((3 * 4))
/bin/echo done &
wait
python3 -c "import subprocess; subprocess.run(['./fit.sh', '--rounds', '7'])"
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A run that starts programs by a shell, in the background and from Python."""
    workspace = tmp_path_factory.mktemp("workspace")
    (workspace / "run.sh").write_text(PROGRAMS)
    (workspace / "fit.sh").write_text("#!/bin/sh\necho $2 >> rounds.txt\n")
    (workspace / "fit.sh").chmod(0o755)
    confinement = Confinement(workspace=workspace, watch=True, followed=("run.sh", "fit.sh"))
    return asyncio.run(run_confined(confinement, ["/bin/bash", "-c", "bash run.sh"], collect=["rounds.txt"]))


@pytest.mark.skipif(why_unwatched() is not None, reason=f"no watch here: {why_unwatched()}")
def test_every_program_is_seen_with_the_arguments_that_it_got(outcome: Outcome) -> None:
    assert (outcome.returncode, outcome.files["rounds.txt"]) == (0, b"12\n7\n")
    programs, gap = outside_programs(outcome.observed, ["run.sh", "fit.sh"], "bash run.sh")
    found = {" ".join(program.words): program.file for program in programs}
    assert gap is None
    assert found["sh fit.sh --rounds 12"] == found["./fit.sh --rounds 7"] == "fit.sh"
    assert found["/bin/echo done"] == ""
    assert "awk -v rate=0.5 BEGIN { print rate }" in found
    assert "bash run.sh" not in found
    assert not any("import subprocess" in words for words in found)


def trace_of(observed: Observations | None) -> ExecutionTrace:
    submitted = {"run.sh": b"Rscript fit.R --n 5\n", "fit.R": b"x <- 1\n"}
    opened = frozenset(submitted)
    return read_trace({}, submitted, {}, opened, key="k", observed=observed, command="bash run.sh")


def test_the_account_names_programs_and_says_when_some_may_be_missing() -> None:
    fit = Program("Rscript", ("Rscript", "fit.R", "--n", "5"))
    seen = Observations(by="seccomp", programs=(fit, Program("mkdir", ("mkdir", "out"))))
    assert trace_of(seen).account == (
        "executed 2 of 2 submitted programs, started 1 program of other languages (Rscript fit.R --n 5)"
    )
    unseen = trace_of(Observations(why="Docker starts the programs"))
    assert unseen.account.endswith("; programs of other languages may be missing: Docker starts the programs")
    full = trace_of(Observations(by="seccomp", full=True))
    assert full.account.endswith("may be missing: more programs started than could be written down")


def test_programs_that_were_not_seen_are_no_evidence() -> None:
    nothing = trace_of(Observations(by="seccomp"))
    assert nothing.ran == trace_of(None).ran == ["fit.R", "run.sh"]
    assert nothing.never == []
