"""best_of and agentless: answers over a real service, run in the real sandbox, one handed in."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.agents.candidates import Candidate, numbers_in
from assay.agents.verifiers import by_majority, by_paper, relative_distance, reported_numbers
from assay.scoring import read_attempts
from assay.scoring.scorecards.best_of_k import chosen_against_best
from assay.workspace import Submission
from tests.agents.conftest import PAPER, Try, toy
from tests.synthetic_logs import Run
from tests.synthetic_logs import attempt as logged_attempt
from tests.tasks.examples import GOLD


def answer(body: str) -> str:
    """An answer that fills `scale` in."""
    source = GOLD.decode().replace("return value * 3.0", body)
    return f"FILE: steps.py\n```python\n{source}```"


RIGHT, WRONG, CRASH = answer("return value * 3.0"), answer("return value * 4.0"), answer("raise ValueError")


def test_the_majority_is_handed_in_and_the_best_is_told(attempt: Try) -> None:
    tried = attempt("best_of[k=4]", [WRONG, RIGHT, CRASH, WRONG])
    told = tried.score["best_of"]
    assert (told["chosen"], told["k"], told["verifier"]) == (1, 4, "majority")
    assert [each["passed"] for each in told["candidates"]] == [False, True, False, False]
    assert (told["chosen_passed"], told["best_passed"]) == (False, True)
    assert not tried.passed
    assert told["candidates"][0]["numbers"] == {"value": 9.0, "runs.0": 2.0}
    assert "ValueError" in told["candidates"][2]["problem"]
    archived = {path.stem for path in (tried.logs / "submissions").glob("*.tar")}
    assert {each["submission"] for each in told["candidates"]} <= archived
    (row,) = chosen_against_best(read_attempts(tried.logs))
    assert (row.attempts, row.k, row.chosen, row.best) == (1, 4, 0, 1)


def test_no_candidate_is_archived_with_a_credential(attempt: Try) -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    careless = answer(f"return value * 4.0  # {key}")
    tried = attempt("best_of[k=2]", [careless, RIGHT])
    folder = tried.logs / "submissions"
    assert not [path.name for path in folder.iterdir() if key.encode() in path.read_bytes()]
    first, _ = tried.score["best_of"]["candidates"]
    candidate = Submission.load(folder, first["submission"])
    assert candidate.redacted == {"steps.py": "contained an Anthropic key, now overwritten"}
    assert b"return value * 4.0  # [credential]" in candidate.files["steps.py"]
    assert first["submission"] == tried.score["grade"]["submission"], "the candidate is the hand-in"


def test_the_paper_outvotes_the_majority(attempt: Try) -> None:
    tried = attempt("best_of[k=3,verifier=paper]", [WRONG, WRONG, RIGHT])
    assert tried.score["best_of"]["chosen"] == 3
    assert tried.passed


def test_the_model_may_choose_and_sees_every_run(attempt: Try) -> None:
    tried = attempt("best_of[k=2,verifier=model]", [WRONG, RIGHT, "The second is right.\nCHOICE: 2"])
    assert tried.passed
    assert "Candidate 2" in tried.asked(2)
    assert "value = 9" in tried.asked(2)


def test_a_budget_that_ends_early_leaves_the_best_so_far(attempt: Try) -> None:
    from assay.agents import Budget

    tried = attempt("best_of[k=5]", [RIGHT, RIGHT, RIGHT], Budget(turns=2))
    assert tried.score["limit"] == "turn"
    assert tried.passed


def test_agentless_fills_every_function_in_one_pass_with_its_reasoning_budget(attempt: Try) -> None:
    tried = attempt("agentless[paper=excerpt,reasoning_effort=high]", [RIGHT])
    assert tried.passed
    assert len(tried.requests) == 1
    assert tried.requests[0]["reasoning_effort"] == "high"
    assert "multiplies its value by 3.0" in tried.asked(0)
    assert "Years of experience" not in tried.asked(0)


def candidate(number: int, *values: float) -> Candidate:
    return Candidate(number, {"a.py": ""}, {str(place): value for place, value in enumerate(values)})


def test_votes_are_for_all_numbers_at_once() -> None:
    assert by_majority([candidate(1, 1, 2), candidate(2, 1, 3), candidate(3, 1, 3.001)]).number == 2
    assert by_majority([Candidate(1, {}, problem="x"), candidate(2, 5)]).number == 2
    assert by_majority([Candidate(1, {}, problem="x"), Candidate(2, {"a": ""}, problem="y")]).number == 2


def test_numbers_of_a_paper_and_of_a_results_file() -> None:
    assert reported_numbers("Table 1: 0.91 & 1.5e-3, in 2024, v1.2.3, 12") == [1.5e-3, 0.91]
    assert reported_numbers(PAPER.decode()) == [3.0, 7.0]
    assert by_paper([candidate(1, 0.5), candidate(2, 0.9101)], "reached 0.91").number == 2
    assert numbers_in({"a": [1, {"b": 2.5}], "c": True, "d": "x"}) == {"a.0": 1.0, "a.1.b": 2.5}


@pytest.mark.parametrize("text", ["", "no numbers at all"])
def test_a_paper_without_numbers_leaves_it_to_the_majority(text: str) -> None:
    assert by_paper([candidate(1, 1), candidate(2, 2), candidate(3, 2)], text).number == 2


def test_an_attempt_that_two_logs_have_is_counted_once_as_in_the_table(tmp_path: Path) -> None:
    choice = {"k": 3, "chosen_passed": False, "best_passed": True}
    logged = logged_attempt("prune", "failed")
    assert logged.scores is not None
    logged.scores["assay"].metadata = (logged.scores["assay"].metadata or {}) | {"best_of": choice}
    for name in ("first", "second"):
        Run("best_of[k=3]", [logged], model="m").write(tmp_path, name)
    Run("react", [logged_attempt("prune", "passed")], model="m").write(tmp_path)
    attempts = read_attempts(tmp_path)
    assert len(attempts) == 2
    (row,) = chosen_against_best(attempts)
    assert (row.agent, row.attempts, row.k, row.chosen, row.best) == ("best_of[k=3]", 1, 3, 0, 1)


def test_numbers_that_a_run_prints_vote_too() -> None:
    from assay.rules.results import printed_numbers
    from assay.tasks import Run

    run = Run.model_validate(
        {"command": "x", "printed": [{"name": "loss", "pattern": r"loss (\S+)", "count": 2}]}
    )
    assert len(printed_numbers(run, "loss 1\n" * 20_000)) == 10_000
    assert printed_numbers(run, "loss 0.5\nloss nothing\nloss 2") == {
        "stdout.loss.0": 0.5,
        "stdout.loss.2": 2.0,
    }


@pytest.mark.long
def test_a_search_for_printed_numbers_that_never_ends_is_a_problem_of_its_candidate(attempt: Try) -> None:
    printed = {"name": "share", "pattern": "([0-9.]+)%", "count": 1}
    run = {"command": "python3 run.py", "results": "results.json", "seconds": 20.0, "printed": [printed]}
    endless = answer("print('1' * 1_000_000); return value * 3.0")
    tried = attempt("best_of[k=2]", [endless, RIGHT], task=toy(run=run))
    first, second = tried.score["best_of"]["candidates"]
    assert first["problem"].startswith("its numbers could not be read: printed numbers took more than")
    assert (second["problem"], tried.score["best_of"]["chosen"]) == (None, 2)


@pytest.mark.long
def test_a_results_file_that_is_too_long_to_compare_is_a_problem_of_its_candidate(attempt: Try) -> None:
    long = answer("open('results.json', 'w').write('[' + '1,' * 200_000 + '1]'); raise SystemExit")
    tried = attempt("best_of[k=2]", [long, RIGHT])
    told = tried.score["best_of"]
    assert "400,003 characters, at most 200,000" in told["candidates"][0]["problem"]
    assert tried.passed


def test_one_long_name_above_many_numbers_is_a_problem_of_its_candidate(attempt: Try) -> None:
    """Its paths would have gigabytes: each number below a name repeats the name."""
    body = (
        "import json; json.dump({'n' * 10_000: [0] * 40_000}, open('results.json', 'w')); raise SystemExit(0)"
    )
    tried = attempt("best_of[k=1]", [answer(body)])
    (only,) = tried.score["best_of"]["candidates"]
    assert only["numbers"] == {}
    assert "characters together" in only["problem"]


def test_a_number_too_large_to_compare_is_a_problem_of_its_candidate(attempt: Try) -> None:
    large = answer("open('results.json', 'w').write('[1' + '0' * 400 + ']'); raise SystemExit")
    tried = attempt("best_of[k=2]", [large, RIGHT])
    assert "OverflowError" in tried.score["best_of"]["candidates"][0]["problem"]
    assert tried.passed


def test_files_that_cannot_be_written_are_a_problem_of_their_candidate(attempt: Try) -> None:
    conflict = "FILE: steps.py/inner.py\n```python\nx = 1\n```"
    tried = attempt("best_of[k=2]", [conflict, RIGHT])
    assert tried.score["best_of"]["candidates"][0]["problem"].startswith("its files cannot be written")
    assert tried.passed


def test_a_model_that_chooses_a_number_of_thousands_of_digits_leaves_it_to_the_majority(attempt: Try) -> None:
    tried = attempt("best_of[k=2,verifier=model]", [RIGHT, WRONG, f"CHOICE: {'9' * 6000}"])
    assert tried.score["best_of"]["chosen"] == 1
    assert tried.passed


def test_a_run_that_prints_too_much_is_a_problem_of_its_candidate(attempt: Try) -> None:
    chatty = answer("[print('x' * 3000) for _ in range(4000)]; return value * 3.0")
    tried = attempt("best_of[k=2]", [chatty, RIGHT])
    first, _ = tried.score["best_of"]["candidates"]
    assert first["problem"] == "the run printed or wrote more than 10 MiB"
    assert (tried.score["best_of"]["chosen"], tried.passed) == (2, True)


def test_too_many_numbers_to_compare_are_a_problem_of_their_candidate() -> None:
    assert len(numbers_in([0] * 10_000)) == 10_000
    with pytest.raises(ValueError, match="more than 10,000 numbers"):
        numbers_in([0] * 10_001)


@given(
    value=st.floats(-1e6, 1e6),
    reported=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20, unique=True).map(sorted),
)
def test_the_nearest_number_of_a_paper_is_a_neighbour(value: float, reported: list[float]) -> None:
    expected = min(abs(value - number) / max(abs(value), abs(number), 1e-12) for number in reported)
    assert relative_distance(value, reported) == min(expected, 1.0)
