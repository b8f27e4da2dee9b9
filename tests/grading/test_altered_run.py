"""Numbers that stand in a file of the submission: copied results show nothing, computed ones do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grading.execution_trace import altered, literals
from assay.tasks import Task
from tests.grading.test_execution_trace import rerun, task

__all__ = ["task"]

COMPARE = """import json
old, new = json.load(open("expected.json")), json.load(open("results.json"))
assert old == new, "this run differs from the one that the conclusion is about"
"""
EXPECTED = '{"mean": {"one": 3.511, "two": 4.459}}'

HONEST: dict[str, dict[str, str | bytes]] = {
    "keeps the log of its first run": {
        "reproduce.sh": "set -o pipefail\npython run.py | tee run.log\ncat results.json >> run.log\n",
        "run.log": EXPECTED,
    },
    "compares with its first run": {
        "reproduce.sh": "set -e\npython run.py\npython compare.py\n",
        "compare.py": COMPARE,
        "expected.json": EXPECTED,
    },
}
COPIED: dict[str, dict[str, str | bytes]] = {
    "reads its results from a file": {
        "reproduce.sh": "python run.py\npython copy_numbers.py\n",
        "copy_numbers.py": "import json\n"
        'json.dump(json.load(open("kept.json")), open("results.json", "w"))\n',
        "kept.json": '{"mean": {"one": 3.127, "two": 5.479}}',
    },
    "has its results in its code": {
        "run.py": "import json, math\nx = math.sqrt(2)\n"
        'json.dump({"mean": {"one": 3.127, "two": 5.479}}, open("results.json", "w"))\n',
    },
}


def results_of(task: Task) -> str:
    import json

    return json.dumps(rerun(task, {}).results)


@pytest.mark.parametrize("name", HONEST)
def test_a_file_with_earlier_numbers_is_no_source_of_results(task: Task, name: str) -> None:
    numbers = results_of(task)
    changes = {path: numbers if text == EXPECTED else text for path, text in HONEST[name].items()}
    made = rerun(task, changes)
    assert (made.problem, made.hollow) == (None, None)


@pytest.mark.parametrize("name", COPIED)
def test_results_that_follow_a_file_are_copied(task: Task, name: str) -> None:
    made = rerun(task, COPIED[name])
    assert made.hollow is not None
    assert "stand written in" in made.hollow


def test_a_flood_of_lines_in_the_trace_is_not_read_to_the_end(task: Task) -> None:
    flood = "for b in .git/*/begun; do yes '' | head -c 6000000 > $(dirname $b)/x; done\npython run.py\n"
    made = rerun(task, {"reproduce.sh": flood})
    assert made.trace is not None
    assert made.trace.forged
    assert made.hollow is not None


@given(st.floats(min_value=1e-5, max_value=1e5).map(lambda number: float(f"{number:.4g}")))
def test_an_altered_number_is_another_of_the_same_length(number: float) -> None:
    text = f'{{"x": {number!r}, "y": 17}}'.encode()
    changed = altered({"a.json": text}, [number])["a.json"]
    assert len(changed) == len(text)
    assert number not in literals({"a.json": changed})
    assert 17.0 in literals({"a.json": changed})
