"""Facts that are derived from the gold of a published experiment, and their proof."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assay.benchmarks.expbench.cited_lines import cited_lines
from assay.benchmarks.expbench.fact_proof import removed_evidence, text_evidence
from assay.benchmarks.expbench.facts import count_derived, derived_facts
from assay.benchmarks.expbench.gold_calls import compact, gold_calls, traced_calls
from assay.benchmarks.expbench.gold_runs import gold_runs
from assay.benchmarks.expbench.papers import DATA
from assay.benchmarks.expbench.records import Record, read_records
from assay.grading.derived_checks import RepositorySources, decide
from tests.benchmarks.published_experiments import write_tasks

SEARCH = '''"""Searches."""


class Search:
    def __init__(self, depth, width=2):
        self.depth = depth

    def fit(self, data, rate=0.1):
        return self


def pc(data, alpha=0.05, test="fisherz"):
    """Run the search."""
    total = sum(data)
    return total * alpha
'''
GOLD = """import numpy as np
from causal import pc, Search

alpha = 0.01
data = np.loadtxt("data.txt")
graph = pc(data, alpha, test="chisq")
model = Search(3, width=4)
model.fit(data, rate=0.5)
score = sum(graph) / 2
print("done", score)
"""
SHELL = """rate=0.1
for length in 96 192; do
  python -u train.py \\
    --rate $rate \\
    --length $length \\
    --root_path ./data/ \\
    --verbose >log.txt
done
"""
TREE = {
    "causal/__init__.py": b"from .search import Search, pc\n",
    "causal/search.py": SEARCH.encode(),
    "gold.py": GOLD.encode(),
    "run.sh": SHELL.encode(),
    "train.py": b"print(1)\n",
}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A published task; each test gives it requirements."""
    records = read_records(write_tasks(tmp_path_factory.mktemp("tasks")))
    return replace(records.tasks[0], source=("gold.py",), masked=("gold.py", "run.sh"))


def facts_of(record: Record, text: str) -> tuple[list[tuple[str, str, dict[str, list[object]]]], str]:
    """Kind, name and values of each fact of one requirement, and why there is none."""
    (derived,) = derived_facts(replace(record, requirements=(text,)), TREE)
    return [(fact.kind, fact.name, dict(fact.values)) for fact in derived.facts], derived.reason


def test_cited_lines_are_read_in_every_published_form() -> None:
    text = "Step 1: Do it (/workspace/gold.py:1-3, 5, /workspace/run.sh:2-2, search.py:4-400, none.py:1)"
    assert cited_lines(text, TREE) == {
        "gold.py": [(1, 3), (5, 5)],
        "run.sh": [(2, 2)],
        "causal/search.py": [(4, 15)],
    }


REDUCED = {
    "a call with literal arguments": (
        "Step 2: Run the search with a level of 0.01 (/workspace/gold.py:6)",
        [("call", "causal.pc", {"alpha": [0.01], "test": ["chisq"]})],
    ),
    "an object and its method": (
        "Step 3: Fit a Search object (/workspace/gold.py:7-8)",
        [
            ("call", "causal.Search", {"depth": [3], "width": [4]}),
            ("call", "causal.Search.fit", {"rate": [0.5]}),
        ],
    ),
    "imports": (
        "Step 1: Import numpy and the search (/workspace/gold.py:1-2)",
        [("import", "numpy", {})],
    ),
    "a setting": ("Step 1: Set alpha (/workspace/gold.py:4)", [("setting", "alpha", {"alpha": [0.01]})]),
    "a program": (
        "Step 4: Train for each length (/workspace/run.sh:3-7)",
        [("program", "train.py", {"rate": ["0.1"], "length": ["96", "192"], "verbose": ["true"]})],
    ),
    "one option of a program": (
        "Step 4: Use a rate of 0.1 (/workspace/run.sh:4)",
        [("program", "train.py", {"rate": ["0.1"]})],
    ),
    "lines that the agent is given": (
        "Step 5: Sum the data (/workspace/causal/search.py:14-15)",
        [("lines", "causal/search.py", {})],
    ),
}


@pytest.mark.parametrize("name", REDUCED)
def test_lines_that_only_call_start_import_or_set_become_facts(record: Record, name: str) -> None:
    text, expected = REDUCED[name]
    found, reason = facts_of(record, text)
    assert found == expected, reason


LEFT_TO_A_READER = {
    "Step 6: Take half of the score (/workspace/gold.py:9)": "the cited lines compute something themselves",
    "Step 1: Load the data (/workspace/gold.py:5)": "calls what is not of the repository",
    "Step 2: Run the search with a level of 0.2 (/workspace/gold.py:6)": (
        "the text states a number that the cited lines do not"
    ),
    "Step 2: Call run_search (/workspace/gold.py:6)": ("the text names in code what the cited lines do not"),
    "Step 2: Compare both searches (/workspace/gold.py:6)": "the text asks for a judgement",
    "Step 2: Search each dataset (/workspace/gold.py:6)": (
        "the text asks for repetitions, and the cited lines show none"
    ),
    "Step 2: Search two graphs (chains, trees) (/workspace/gold.py:6)": (
        "the text specifies what no fact states"
    ),
    "Final Step: Report it (usage_instructions)": "cites no lines of the repository",
}


@pytest.mark.parametrize("text", LEFT_TO_A_READER)
def test_what_does_more_or_says_more_is_left_to_a_reader(record: Record, text: str) -> None:
    assert facts_of(record, text) == ([], LEFT_TO_A_READER[text])


def test_only_a_function_that_the_text_writes_as_code_is_named(record: Record) -> None:
    def is_named(text: str) -> list[bool]:
        (derived,) = derived_facts(replace(record, requirements=(text,)), TREE)
        return [fact.named for fact in derived.facts if fact.kind == "call"]

    assert is_named("Fit the model (/workspace/gold.py:8)") == [False]
    assert is_named("Use model.fit to learn (/workspace/gold.py:8)") == [True]
    assert is_named("Call `pc` (/workspace/gold.py:6)") == [True]


def test_each_fact_is_met_by_the_gold_and_not_without_what_it_states(record: Record) -> None:
    texts = tuple(text for text, _ in REDUCED.values())
    given = RepositorySources({path: data for path, data in TREE.items() if path not in record.masked})
    for derived in derived_facts(replace(record, requirements=texts), TREE):
        sources = {path: TREE[path].decode() for path in derived.cited}
        assert decide(derived.facts, text_evidence(sources, given)).status == "met", derived
        for fact in derived.facts:
            assert decide(derived.facts, removed_evidence(fact, sources, given)).status != "met", fact


def test_requirements_are_counted_with_the_reason_for_each_that_has_no_facts(record: Record) -> None:
    first = replace(record, requirements=tuple(LEFT_TO_A_READER)[:2])
    second = replace(record, requirements=(REDUCED["a setting"][0],))
    absent = replace(record, id="other", requirements=("Step 1: Anything", "Step 2: More"))
    counts = count_derived(
        [first, second, absent], lambda candidate: None if candidate.id == "other" else TREE
    )
    assert counts == {
        "proved": 1,
        "no repository at hand": 2,
        "the cited lines compute something themselves": 1,
        "calls what is not of the repository": 1,
    }


TRACED_GOLD = """from causal import Search, pc

found = make_search()
found.fit([1, 2])
level = choose_level()
pc([1, 2], level)
found.both([1])
"""
TRACED_TREE = {**TREE, "gold.py": TRACED_GOLD.encode()}
SITES: dict[str, dict[str, list[dict[str, str | int | float | bool]]]] = {
    "gold.py:4": {"causal/search.py:Search.fit": [{"rate": 0.1}], "causal/search.py:helper": [{}]},
    "gold.py:6": {"causal/search.py:pc": [{"alpha": 0.02, "test": "fisherz"}]},
    "gold.py:7": {"causal/search.py:First.both": [{}], "causal/search.py:Second.both": [{}]},
}
RESET = "Step 1: Fit the search to the draws (/workspace/gold.py:4)"
LEVEL = "Step 2: Run pc() with a level of 0.02 (/workspace/gold.py:6)"


def traced_facts(
    record: Record, text: str, *, with_run: bool
) -> list[tuple[str, str, dict[str, list[object]]]]:
    """Name, function and values of the facts of one requirement, with or without a recorded run."""
    cited = cited_lines(text, TRACED_TREE)
    calls = traced_calls(compact(SITES, TRACED_TREE, cited)) if with_run else {}
    (derived,) = derived_facts(replace(record, requirements=(text,)), TRACED_TREE, calls)
    return [(fact.name, fact.symbol, dict(fact.values)) for fact in derived.facts]


def test_a_recorded_run_shows_which_function_a_call_on_a_variable_leads_to(record: Record) -> None:
    assert traced_facts(record, RESET, with_run=False) == []
    assert traced_facts(record, RESET, with_run=True) == [("found.fit", "Search.fit", {})]


def test_a_recorded_run_shows_the_value_that_a_variable_brings_to_a_call(record: Record) -> None:
    assert traced_facts(record, LEVEL, with_run=False) == []
    found = traced_facts(record, LEVEL, with_run=True)
    assert found == [("causal.pc", "pc", {"alpha": [0.02]})]


def test_a_recorded_fact_is_proved_and_never_makes_a_requirement_unmet(record: Record) -> None:
    cited = cited_lines(RESET, TRACED_TREE)
    calls = traced_calls(compact(SITES, TRACED_TREE, cited))
    (derived,) = derived_facts(replace(record, requirements=(RESET,)), TRACED_TREE, calls)
    given = {path: data for path, data in TRACED_TREE.items() if path != "gold.py"}
    repository = RepositorySources(given, ["gold.py"], calls)
    sources = {"gold.py": TRACED_GOLD}
    assert decide(derived.facts, text_evidence(sources, repository)).status == "met"
    without = removed_evidence(derived.facts[0], sources, repository)
    assert decide(derived.facts, without).status == "undecided"
    assert not any(fact.named for fact in derived.facts)


def test_a_call_that_led_to_several_functions_is_left_out() -> None:
    assert compact(SITES, TRACED_TREE, {"gold.py": [(7, 7)]}) == {}


def test_shipped_calls_are_of_tasks_whose_solution_runs() -> None:
    stored = json.loads((DATA / "gold_calls.json").read_text())
    assert stored
    assert all(gold_runs()[task].status == "runs" for task in stored)
    assert all(gold_calls(task) for task in stored)
