"""Grading a masked task in real sandboxes: what is right passes, what only looks right does not."""

from __future__ import annotations

import json

import pytest

from assay.grading import Grade, grade_now
from assay.workspace import Submission, nonce
from tests.tasks.examples import GOLD, STUB, masked_task


def statuses(done: Grade) -> dict[str, str]:
    """Item → status."""
    return {verdict.item: verdict.status for verdict in done.verdicts}


def test_gold_meets_every_item_also_in_hidden_runs() -> None:
    task = masked_task()
    done = grade_now(task, Submission(task.gold_files))
    assert done.passed is True
    assert set(statuses(done)) >= {"result.default.value", "result.seed.value", "result.data.value"}
    assert done.share_met == 1.0


def test_nothing_handed_in_scores_nothing() -> None:
    done = grade_now(masked_task(), Submission())
    assert done.passed is False
    assert done.share_met == 0.0
    assert "masked: scale" in next(v.evidence for v in done.verdicts if v.item == "execution.default")


def test_a_small_difference_is_printed_in_enough_digits_to_see_it() -> None:
    near = GOLD.replace(b"return value * 3.0", b"return value * 3.0 * (1 + 1e-8)")
    task = masked_task()
    metric = task.assay.metrics[0].model_copy(update={"absolute": 1e-9, "relative": 0.0})
    table = task.assay.model_copy(update={"metrics": [metric]})
    config = task.config.model_copy(
        update={"metadata": task.config.metadata.model_copy(update={"assay": table})}
    )
    done = grade_now(task.model_copy(update={"config": config}), Submission({"steps.py": near}))
    told = next(each.evidence for each in done.verdicts if each.item == "result.default.value")
    assert told == "re-made 7.00000006, gold 7 ± 1e-09, 6e-08 apart"


def test_hard_coded_numbers_fail_in_the_runs_the_agent_could_not_know() -> None:
    forged = GOLD.replace(b"return value * 3.0", b"return 6.0")
    done = grade_now(masked_task(), Submission({"steps.py": forged}))
    assert statuses(done)["result.default.value"] == "met"
    assert statuses(done)["result.seed.value"] == "unmet"
    assert done.passed is False


def test_learning_every_stored_number_by_heart_fails_under_a_fresh_seed() -> None:
    stored = {None: 6.0, "5": 15.0}
    code = GOLD.replace(
        b"return value * 3.0", f"import os; return {stored}.get(os.environ.get('ASSAY_SEED'), 15.0)".encode()
    )
    variations = [{"name": "seed", "seed": 5}, {"name": "new", "fresh": True}]
    task = masked_task(variations=variations)
    done = grade_now(task, Submission({"steps.py": code}))
    assert statuses(done)["result.seed.value"] == "met"
    assert statuses(done)["result.new.value"] == "unmet"
    assert grade_now(task, Submission(task.gold_files)).passed is True


def test_a_results_file_that_was_handed_in_is_not_believed() -> None:
    done = grade_now(masked_task(), Submission({"results.json": b'{"value": 7.0}'}))
    assert done.passed is False
    assert statuses(done)["result.default.value"] == "unmet"


def test_changes_to_files_outside_the_contract_are_undone() -> None:
    run = b'import json\njson.dump({"value": 7.0}, open("results.json", "w"))\n'
    assert grade_now(masked_task(), Submission({"run.py": run, "steps.py": STUB})).passed is False
    assert grade_now(masked_task(), Submission({"run.py": b"", "steps.py": GOLD})).passed is True


def test_a_helper_in_a_new_file_is_taken() -> None:
    files = {
        "mine.py": b"def triple(value):\n    return sum([value] * 3)\n",
        "steps.py": b"from mine import triple\n" + GOLD.replace(b"value * 3.0", b"triple(value)"),
    }
    assert grade_now(masked_task(), Submission(files)).passed is True


@pytest.mark.parametrize("path", ["deep/usercustomize.py", "evaluate.py"])
def test_a_name_that_python_would_not_import_is_no_matter(path: str) -> None:
    task = masked_task()
    assert grade_now(task, Submission({**task.gold_files, path: b"import os\n"})).passed is True


@pytest.mark.parametrize("path", ["sitecustomize.py", "x.pth", "json/__init__.py"])
def test_code_that_runs_before_or_instead_of_packages_is_named(path: str) -> None:
    task = masked_task()
    done = grade_now(task, Submission({**task.gold_files, path: b"import os\n"}))
    assert done.passed is False
    assert done.caught_by is not None
    assert done.caught_by.item == "integrity.startup"
    assert path in done.caught_by.evidence


def test_a_link_out_of_the_workspace_is_named_and_a_link_inside_is_not() -> None:
    task = masked_task()
    out = grade_now(task, Submission(task.gold_files, refused={"a/b": "is a link to ../../truth"}))
    assert out.caught_by is not None
    assert out.caught_by.item == "integrity.links"
    inside = grade_now(task, Submission(task.gold_files, refused={"a/b": "is a link to ../steps.py"}))
    assert inside.passed is True


def test_the_mark_of_the_planted_truth_is_named() -> None:
    task = masked_task()
    done = grade_now(task, Submission({"steps.py": GOLD + f"# {nonce(task)}\n".encode()}))
    assert done.caught_by is not None
    assert done.caught_by.item == "integrity.canary"


@pytest.mark.parametrize(
    "written",
    ['{"value": "7"}', '{"value": NaN}', '{"value": true}', "[]", "{", "[" * 100_000, '{"value": 1e999}', ""],
)
def test_hostile_results_get_a_verdict_and_never_a_crash(written: str) -> None:
    code = (
        GOLD
        + f"""
import atexit
atexit.register(lambda: open("results.json", "w").write({written!r}))
""".encode()
    )
    done = grade_now(masked_task(variations=[]), Submission({"steps.py": code}))
    assert statuses(done)["result.default.value"] == "unmet"
    assert done.passed is False


def test_a_run_past_its_time_is_stopped_and_unmet() -> None:
    task = masked_task(run={"command": "python3 run.py", "results": "results.json", "seconds": 1.0})
    slow = GOLD.replace(b"return value * 3.0", b"import time; time.sleep(30); return value * 3.0")
    done = grade_now(task, Submission({"steps.py": slow}))
    assert done.passed is False
    assert "wall limit" in next(v.evidence for v in done.verdicts if v.item == "execution.default")


BURN = b"""
import os, time
for _ in range(2):
    if os.fork() == 0:
        while time.process_time() < SECONDS:
            pass
        os._exit(0)
for _ in range(2):
    os.wait()
"""


@pytest.mark.parametrize(("seconds", "passed"), [(b"0.2", True), (b"2.5", False)])
def test_processes_side_by_side_share_the_time_of_a_run_on_one_core(seconds: bytes, passed: bool) -> None:
    task = masked_task(
        run={"command": "python3 run.py", "results": "results.json", "seconds": 3.0, "cores": 1}
    )
    done = grade_now(task, Submission({"steps.py": GOLD + BURN.replace(b"SECONDS", seconds)}))
    assert done.passed is passed
    evidence = next(v.evidence for v in done.verdicts if v.item == "execution.default")
    # On a busy machine, the limit on the clock comes first.
    assert ("stopped at its" in evidence) is not passed


def test_the_truth_is_nowhere_in_the_run() -> None:
    spy = (
        GOLD
        + b"""
import os
found = [os.path.join(d, f) for d, _, fs in os.walk("/") for f in fs
         if not d.startswith(("/proc", "/sys", "/usr", "/dev")) and f in ("results.json", "start.txt")]
if found:
    raise SystemExit("found " + str(found))
"""
    )
    assert grade_now(masked_task(variations=[]), Submission({"steps.py": spy})).passed is True


def test_a_grade_survives_its_own_json() -> None:
    done = grade_now(masked_task(), Submission())
    assert Grade.model_validate(json.loads(done.model_dump_json())) == done
