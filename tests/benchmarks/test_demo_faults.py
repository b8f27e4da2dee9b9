"""The demo experiments with one fault injected: exactly the verdicts that should change do, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

import pytest

from assay.benchmarks.demo import DATA
from assay.grading import grade_now
from assay.tasks import Task, load_task
from assay.workspace import Submission

ROWS = """python - <<'END'
import csv
with open("{file}") as file:
    head, *rows = csv.reader(file)
for row in rows:
    {change}
with open("{file}", "w", newline="") as file:
    csv.writer(file).writerows([head, *rows])
END
"""
JSON = """python - <<'END'
import json
with open("{file}") as file:
    table = json.load(file)
{change}
with open("{file}", "w") as file:
    json.dump(table, file)
END
"""


def swapped(*paths: str) -> str:
    """A line that exchanges two numbers of the results."""
    one, other = ("table" + "".join(f"[{step!r}]" for step in path.split(".")) for path in paths)
    return JSON.format(file="results.json", change=f"{one}, {other} = {other}, {one}")


@dataclass(frozen=True)
class Faults:
    """What is done to one experiment, and which items it must cost; one of each phase."""

    design: str
    """The variable whose role is wrong in the broken variant `wrong-role`."""
    implementation: str
    """A step after the run that spoils its evidence and leaves its numbers."""
    requirements: tuple[str, ...]
    claims: tuple[str, ...]
    """Those that the broken variant `wrong-direction` gets wrong."""
    swap: tuple[str, str]
    """Numbers that are exchanged in the results, so that the conclusion, still true, is not the run's."""
    measured: str
    """The requirement that the results are those of the evidence."""


EXPERIMENTS = {
    "selection-bias": Faults(
        design="labels",
        implementation=JSON.format(
            file="features.json",
            change="for each in table:\n    if each['selection'] == 'inside':\n"
            "        each['features'] = list(range(10))",
        ),
        requirements=("inside",),
        claims=("permuted-optimism", "real-optimism"),
        swap=("accuracy.permuted.outside", "accuracy.permuted.inside"),
        measured="accuracy",
    ),
    "momentum-step": Faults(
        design="base_rate",
        implementation=ROWS.format(
            file="curves.csv", change="row[-1] = 9.0 if '0' in (row[1], row[2]) else row[-1]"
        ),
        requirements=("curves",),
        claims=("equal-step",),
        swap=("train_loss.plain", "train_loss.momentum"),
        measured="losses",
    ),
    "temperature-fit": Faults(
        design="*",
        implementation=ROWS.format(
            file="temperatures.csv", change="row[2] = 2 * float(row[2]) if row[0] == 'training' else row[2]"
        ),
        requirements=("training-fit", "shared-model", "measures"),
        claims=("training-nll",),
        swap=("nll.none", "nll.training"),
        measured="measures",
    ),
    "bagging-stability": Faults(
        design="training_sets",
        implementation=ROWS.format(
            file="predictions.csv", change="row[2] = (int(row[2]) + 1) % 15 if row[1] == 'bagged' else row[2]"
        ),
        requirements=("bagged",),
        claims=("bagging-or-neighbours",),
        swap=("error.1.bagged", "error.20.single"),
        measured="decomposition",
    ),
}
FAST = "selection-bias"
NAMES = [pytest.param(name, marks=[] if name == FAST else pytest.mark.long, id=name) for name in EXPERIMENTS]


@cache
def load(name: str) -> Task:
    return load_task(DATA / name)


FLOATS = JSON.format(
    file="features.json",
    change="for each in table:\n    each['features'] = [float(column) for column in each['features']]",
)
"""A step after the run of FAST that changes nothing which counts."""


@cache
def items(name: str) -> frozenset[str]:
    """Every item of an experiment: the oracle meets all of them, at FAST with whole numbers as floats."""
    files = {**load(name).gold_files, **(after_the_run(name, FLOATS) if name == FAST else {})}
    done = grade_now(load(name), Submission(files))
    assert done.passed, [each for each in done.verdicts if each.status != "met"]
    return frozenset(each.item for each in done.verdicts)


def lost(name: str, files: Mapping[str, bytes]) -> set[str]:
    """The items that changed files cost, beside the oracle's submission."""
    done = grade_now(load(name), Submission({**load(name).gold_files, **files}))
    assert {each.status for each in done.verdicts} <= {"met", "unmet"}
    assert {each.owner for each in done.verdicts if each.status == "unmet"} == {"agent"}
    return set(items(name)) - {each.item for each in done.verdicts if each.status == "met"}


def after_the_run(name: str, step: str) -> dict[str, bytes]:
    """The oracle's run with one more step at its end."""
    return {"reproduce.sh": load(name).gold_files["reproduce.sh"] + step.encode()}


def matching(name: str, *patterns: str) -> set[str]:
    return {item for item in items(name) if any(fnmatchcase(item, pattern) for pattern in patterns)}


@pytest.mark.long
def test_faults_of_three_phases_cost_their_own_items_and_no_other() -> None:
    """One grading for what the long tests below look at one by one."""
    broken, faults = load(FAST).broken, EXPERIMENTS[FAST]
    files = [broken["wrong-role"], after_the_run(FAST, faults.implementation), broken["wrong-direction"]]
    assert sum(map(len, files)) == len({path for tree in files for path in tree})
    assert lost(FAST, {path: data for tree in files for path, data in tree.items()}) == {
        f"design.{faults.design}",
        *(f"requirement.{name}" for name in faults.requirements),
        "conclusion.faithful",
        *(f"conclusion.{name}" for name in faults.claims),
    }


@pytest.mark.long
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_wrong_role_costs_its_variable(name: str) -> None:
    wrong = EXPERIMENTS[name].design
    expected = {"design.training_rows", "design.accuracy"} if wrong == "*" else {f"design.{wrong}"}
    assert lost(name, load(name).broken["wrong-role"]) == expected


@pytest.mark.long
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_spoiled_evidence_costs_its_requirements(name: str) -> None:
    lost_items = lost(name, after_the_run(name, EXPERIMENTS[name].implementation))
    assert lost_items == {f"requirement.{each}" for each in EXPERIMENTS[name].requirements}


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_fails_costs_all_that_rests_on_it_and_leaves_design_and_claims(name: str) -> None:
    lost_items = lost(name, load(name).broken["does-not-run"])
    assert lost_items == matching(name, "execution.*", "result.*", "requirement.*", "conclusion.faithful")


@pytest.mark.long
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_wrong_claim_is_untrue_and_unfaithful(name: str) -> None:
    lost_items = lost(name, load(name).broken["wrong-direction"])
    assert lost_items == {"conclusion.faithful", *(f"conclusion.{each}" for each in EXPERIMENTS[name].claims)}


@pytest.mark.long
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_true_conclusion_that_its_own_run_does_not_bear_out_is_unfaithful(name: str) -> None:
    faults = EXPERIMENTS[name]
    metrics = [each.name for each in load(name).assay.metrics if each.path in faults.swap]
    expected = matching(name, *(f"result.*.{metric}" for metric in metrics))
    expected |= {f"requirement.{faults.measured}", "conclusion.faithful"}
    assert lost(name, after_the_run(name, swapped(*faults.swap))) == expected


@pytest.mark.long
def test_an_output_that_is_not_written_costs_the_execution() -> None:
    lost_items = lost(FAST, after_the_run(FAST, "rm predictions.csv\n"))
    assert matching(FAST, "execution.*") <= lost_items
    assert lost_items.isdisjoint(matching(FAST, "result.*", "design.*", "conclusion.*"))


def test_whole_numbers_may_be_written_as_floats() -> None:
    """`items` grades such a run of FAST, and every item is met."""
    assert items(FAST)
