"""Numbers that stand in a file of the submission: copied results show nothing, computed ones do."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.grading.cleanroom import CleanRoom
from assay.grading.execution_trace import altered, literals
from assay.tasks import Task
from tests.grading.test_execution_trace import files, rerun, task

__all__ = ["task"]

COMPARE = """import json
old, new = json.load(open("expected.json")), json.load(open("results.json"))
assert old == new, "this run differs from the one that the conclusion is about"
"""
EXPECTED = "<the results of an earlier run>"
MEASURE = """import json, os
from dice import rolls
SHARE = 0.125
seed = int(os.environ.get("ASSAY_SEED", "2"))
draws = {"one": rolls(seed, 1000, 1), "two": rolls(seed, 1000, 2)}
means = {name: sum(values) / len(values) for name, values in draws.items()}
earlier = json.load(open("expected.json"))
"""
WRITE = 'json.dump({"mean": means}, open("results.json", "w"))\n'

HONEST: dict[str, dict[str, str]] = {
    "keeps the log of its first run": {
        "reproduce.sh": "set -o pipefail\npython run.py | tee run.log\ncat results.json >> run.log\n",
        "run.log": EXPECTED,
    },
    "compares with its first run": {
        "reproduce.sh": "set -e\npython run.py\npython compare.py\n",
        "compare.py": COMPARE,
        "expected.json": EXPECTED,
    },
    "compares with a run whose names have numbers": {
        "reproduce.sh": "python run.py\npython compare.py\n",
        "compare.py": 'import json\nprint(json.load(open("expected.json"))["seed_2_results"])\n',
        "expected.json": f'{{"fold_1_acc": 0.5, "seed_2_results": {EXPECTED}}}',
    },
    "asserts that it repeats its first run, and then writes": {
        "run.py": MEASURE + 'assert means == earlier["mean"], "the draws have changed"\n' + WRITE,
        "expected.json": EXPECTED,
    },
    "repeats a setting in its results": {
        "run.py": MEASURE
        + 'json.dump({"mean": means, "shown": SHARE}, open("results.json", "w"))\nprint(earlier)\n',
        "expected.json": f'{{"results": {EXPECTED}, "shown": 0.125}}',
    },
}
COPY = 'json.dump(json.load(open("kept.json")), open("results.json", "w"))\n'
KEPT = '{"mean": {"one": 3.127, "two": 5.479}}'
COPIED: dict[str, dict[str, str]] = {
    "reads its results from a file": {
        "reproduce.sh": "python run.py\npython copy_numbers.py\n",
        "copy_numbers.py": f"import json\n{COPY}",
        "kept.json": KEPT,
    },
    "has its results in its code": {
        "run.py": "import json, math\nx = math.sqrt(2)\n"
        'json.dump({"mean": {"one": 3.127, "two": 5.479}}, open("results.json", "w"))\n',
    },
    "has its results in its code and in a log": {
        "run.py": "import json, math\nx = math.sqrt(2)\nprint(open('run.log').read())\n"
        'json.dump({"mean": {"one": 3.127, "two": 5.479}}, open("results.json", "w"))\n',
        "run.log": KEPT,
    },
    "reads its results and asserts that they are sound": {
        "run.py": "import json, math\nx = math.sqrt(2)\n"
        'assert json.load(open("kept.json"))["mean"]["one"] < 3.2, "no mean of a die"\n' + COPY,
        "kept.json": KEPT,
    },
    "computes only where it gets a seed": {
        "run.py": 'import json, os\nif "ASSAY_SEED" not in os.environ:\n    '
        f"{COPY}else:\n    from dice import rolls\n    print(sum(rolls(3, 9, 1)))\n",
        "kept.json": KEPT,
    },
    "reads one result and computes a little": {
        "run.py": "import json, math\n"
        'kept = json.load(open("kept.json"))\n'
        'kept["root"] = round(math.sqrt(2), 3)\njson.dump(kept, open("results.json", "w"))\n',
        "kept.json": '{"mean": {"one": 3.127, "two": 5.479}, "root": 1.414}',
    },
}


def results_of(task: Task) -> str:
    import json

    return json.dumps(rerun(task, {}).results)


@pytest.mark.parametrize("name", HONEST)
def test_a_file_with_earlier_numbers_is_no_source_of_results(task: Task, name: str) -> None:
    numbers = results_of(task)
    changes = {path: text.replace(EXPECTED, numbers) for path, text in HONEST[name].items()}
    made = rerun(task, changes)
    assert (made.problem, made.hollow) == (None, None)


WRITES_LARGEST = 'import json\njson.dump({"best": max([0.375, 0.125])}, open("results.json", "w"))\n'
CHOOSE = """import json
from dice import rolls
SHARES = [0.375, 0.125, 0.625]
def error(share):
    return abs(share - sum(value > 5 for value in rolls(2, 1000, 1)) / 1000)
"""
CHOICES = {
    "from a list": {
        "run.py": CHOOSE + 'json.dump({"best": min(SHARES, key=error)}, open("results.json", "w"))\n'
    },
    "with its place": {
        "run.py": CHOOSE + "errors = list(map(error, SHARES))\nplace = errors.index(min(errors))\n"
        'json.dump({"best": SHARES[place], "tried": 3}, open("results.json", "w"))\n'
    },
    "from a file with settings": {
        "run.py": CHOOSE.replace("[0.375, 0.125, 0.625]", 'json.load(open("grid.json"))["shares"]')
        + 'json.dump({"best": min(SHARES, key=error)}, open("results.json", "w"))\n',
        "grid.json": '{"shares": [\n  0.375,\n  0.125,\n  0.625\n], "rolls": 1000}\n',
    },
    "in a shell script": {
        "reproduce.sh": "for share in 0.375 0.125 0.625; do python run.py $share; done\n",
        "run.py": CHOOSE.replace("[0.375, 0.125, 0.625]", "[float(sys.argv[1])]").replace(
            "json", "json, sys", 1
        )
        + "from pathlib import Path\nfile = Path('results.json')\nmine = SHARES[0]\n"
        "best = json.loads(file.read_text())['best'] if file.exists() else mine\n"
        "file.write_text(json.dumps({'best': min([best, mine], key=error)}))\n",
    },
}
NO_CHOICES = {
    "by its place": 'json.dump({"best": SHARES[1]}, open("results.json", "w"))\n',
    "as a constant beside the list": 'json.dump({"best": 0.125}, open("results.json", "w"))\n',
    "by its place in a list that has it twice": 'json.dump({"best": [0.125, 0.125, 0.9][0]}, '
    'open("results.json", "w"))\n',
    "the whole list": 'json.dump({"mean": sorted(SHARES)}, open("results.json", "w"))\n',
    "from a list of its own": 'json.dump({"best": [0.125, 0.9][0]}, open("results.json", "w"))\n',
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_from_a_list_is_a_result(task: Task, name: str) -> None:
    made = rerun(task, CHOICES[name])
    assert (made.problem, made.hollow) == (None, None)


@pytest.mark.parametrize("name", NO_CHOICES)
def test_a_number_that_is_taken_from_a_list_without_a_choice_is_copied(task: Task, name: str) -> None:
    made = rerun(task, {"run.py": CHOOSE + "measured = error(0.2)\n" + NO_CHOICES[name]})
    assert made.hollow is not None
    assert "stand written in" in made.hollow


def test_the_largest_of_stored_numbers_is_copied(task: Task) -> None:
    made = rerun(task, {"run.py": WRITES_LARGEST})
    assert made.hollow is not None
    assert "stand written in" in made.hollow


@pytest.mark.parametrize("name", COPIED)
def test_results_that_follow_a_file_are_copied(task: Task, name: str) -> None:
    made = rerun(task, COPIED[name])
    assert made.hollow is not None
    assert "stand written in" in made.hollow


def test_a_run_that_is_made_again_is_altered_again(task: Task) -> None:
    async def rerun_twice() -> list[str | None]:
        async with CleanRoom(task, files(COPIED["reads its results from a file"])) as room:
            first = await room.rerun()
            room.discard_outputs()
            return [first.hollow, (await room.rerun()).hollow]

    first, second = asyncio.run(rerun_twice())
    assert first is not None
    assert first == second


def test_a_flood_of_lines_in_the_trace_is_not_read_to_the_end(task: Task) -> None:
    flood = "for b in .git/*/begun; do yes '' | head -c 6000000 > $(dirname $b)/x; done\npython run.py\n"
    made = rerun(task, {"reproduce.sh": flood})
    assert made.trace is not None
    assert made.trace.forged
    assert made.hollow is not None


OTHERS = {0.0, 17.0, 17.5, 1000.0}


@given(st.floats(min_value=1e-5, max_value=1e5).map(lambda number: float(f"{number:.4g}")))
def test_an_altered_number_is_another_of_the_same_length(number: float) -> None:
    assume(number not in OTHERS)
    text = f'{{"x": {number!r}, "seed_0_y_": 17, "1_000": 1_7.5}}'.encode()
    changed = altered({"a.json": text}, [number])["a.json"]
    assert len(changed) == len(text)
    assert number not in literals({"a.json": changed})
    assert literals({"a.json": changed}) >= OTHERS
