"""Checks of frontier's experiments: intervals may be rounded, answers follow from them, estimates count."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest

from assay.benchmarks.frontier import DATA
from assay.tasks import load_task

SEED = 1008
"""Of a batch with studies whose bounds round across a border with two and three decimals."""
COUNT = 160
"""Studies that are drawn here; grading draws five times as many."""
ANALYSE = """
import json, reference, studies
batch = studies.draw_batch(SEED)
print(json.dumps(reference.analyse_all({name: studies.as_read(rows) for name, (rows, _) in batch.items()})))
"""

Intervals = dict[str, tuple[float, float, float]]


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests of scaling-fit, with the shared files written out."""
    return write_tests("scaling-fit", tmp_path_factory.mktemp("scaling-fit"))


def write_tests(task: str, folder: Path, count: int = COUNT) -> Path:
    """The tests of a task, which draw so many studies."""
    for path, data in load_task(DATA / task).tests.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    settings = folder / "drawing/settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"count": count}))
    return folder


@pytest.fixture(scope="module")
def intervals(checks: Path) -> Intervals:
    """What the best known analysis finds in the drawn studies, with all digits."""
    places = [str(checks / "drawing"), str(checks / "checks")]
    program = f"import sys; sys.path[:0] = {places!r}\nSEED = {SEED}{ANALYSE}"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return dict(json.loads(printed.stdout))


def answer_of(low: float, high: float) -> str:
    if low >= -0.24 and high <= 0.24:
        return "same"
    return "higher" if low > 0 else "lower" if high < 0 else "open"


def results_of(intervals: Intervals) -> str:
    """The text of results.json for some intervals."""
    results = {
        "studies": len(intervals),
        "mean_estimate": fmean(estimate for estimate, _, _ in intervals.values()),
        "mean_width": fmean(high - low for _, low, high in intervals.values()),
        "estimates": {name: estimate for name, (estimate, _, _) in intervals.items()},
    }
    return json.dumps(results)


def judge(
    checks: Path,
    folder: Path,
    intervals: Intervals,
    decimals: int,
    answers: dict[str, str],
    check: str = "complete.py",
    results: str | None = None,
) -> str:
    """The evidence of the check about intervals with so many decimals; empty if it is met."""
    for run in ("default", "drawn-studies"):
        (folder / "outputs" / run).mkdir(parents=True)
        (folder / "outputs" / run / "results.json").write_text(results or results_of(intervals))
        with (folder / "outputs" / run / "answers.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["study", "estimate", "low", "high", "answer"])
            for name, found in intervals.items():
                writer.writerow([name, *(f"{value:.{decimals}f}" for value in found), answers[name]])
    (folder / "outputs" / "seeds.json").write_text(json.dumps({"drawn-studies": SEED}))
    command = [sys.executable, str(checks / "checks" / check)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout if done.returncode else ""


@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_an_interval_may_be_rounded_after_its_answer_was_found(
    checks: Path, intervals: Intervals, tmp_path: Path, decimals: int
) -> None:
    answers = {name: answer_of(low, high) for name, (_, low, high) in intervals.items()}
    assert judge(checks, tmp_path, intervals, decimals, answers) == ""


def test_two_and_three_decimals_hide_the_answer_of_some_of_these_studies(intervals: Intervals) -> None:
    for decimals in (2, 3):
        assert any(
            answer_of(low, high) != answer_of(round(low, decimals), round(high, decimals))
            for _, low, high in intervals.values()
        )


def test_rounding_does_not_excuse_an_answer_far_from_every_border(
    checks: Path, intervals: Intervals, tmp_path: Path
) -> None:
    answers = {name: answer_of(low, high) for name, (_, low, high) in intervals.items()}
    name = max(intervals, key=lambda study: intervals[study][1])
    answers[name] = "open"
    evidence = judge(checks, tmp_path, intervals, 2, answers)
    assert f"{name!r} is called open, its interval says otherwise" in evidence


@pytest.mark.parametrize(("factor", "met"), [(1.0, True), (0.75, False), (1.3, False)])
def test_neither_wider_nor_narrower_intervals_have_a_good_score(
    checks: Path, intervals: Intervals, tmp_path: Path, factor: float, met: bool
) -> None:
    changed = {
        name: (estimate, estimate + factor * (low - estimate), estimate + factor * (high - estimate))
        for name, (estimate, low, high) in intervals.items()
    }
    answers = {name: answer_of(low, high) for name, (_, low, high) in changed.items()}
    evidence = judge(checks, tmp_path, changed, 6, answers, "comparison.py")
    assert ("the interval score is" not in evidence) == met


@pytest.mark.parametrize("place", [0.0, 0.25, 0.75, 1.0])
def test_an_estimate_anywhere_inside_a_right_interval_is_not_good_enough(
    checks: Path, intervals: Intervals, tmp_path: Path, place: float
) -> None:
    changed = {name: (low + place * (high - low), low, high) for name, (_, low, high) in intervals.items()}
    answers = {name: answer_of(low, high) for name, (_, low, high) in intervals.items()}
    evidence = judge(checks, tmp_path, changed, 6, answers, "comparison.py")
    assert evidence.startswith("errors of estimates are")
    assert "times those of the best known analysis" in evidence


@pytest.mark.parametrize("part", [-0.14, 0.14])
def test_estimates_that_are_all_moved_to_one_side_are_not_good_enough(
    checks: Path, intervals: Intervals, tmp_path: Path, part: float
) -> None:
    changed = {
        name: (middle + part * (high - low), low, high) for name, (middle, low, high) in intervals.items()
    }
    answers = {name: answer_of(low, high) for name, (_, low, high) in intervals.items()}
    evidence = judge(checks, tmp_path, changed, 6, answers, "comparison.py")
    assert f"and are {part:+.3f} widths higher on average" in evidence


def test_every_study_has_numbers_where_all_can_be_decided(
    checks: Path, intervals: Intervals, tmp_path: Path
) -> None:
    answers = {name: answer_of(low, high) for name, (_, low, high) in intervals.items()}
    judge(checks, tmp_path, intervals, 6, answers, "coverage.py")
    path = tmp_path / "outputs" / "drawn-studies" / "answers.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], f"{lines[-1].partition(',')[0]},,,,open"]) + "\n")
    command = [sys.executable, str(checks / "checks" / "coverage.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("1 of 160 studies that can be decided have no numbers")


@pytest.mark.parametrize(
    "results",
    [
        "[]",
        "more studies",
        "{",
        '{"estimates": {"s001": true}}',
        '{"mean_estimate": 1e400, "estimates": []}',
        '{"estimates": {"s001": 1' + 400 * "0" + "}}",
        "other widths",
    ],
)
def test_results_that_do_not_follow_from_the_answers_are_refused(
    checks: Path, intervals: Intervals, tmp_path: Path, results: str
) -> None:
    answers = {name: answer_of(low, high) for name, (_, low, high) in intervals.items()}
    if results == "more studies":
        more = json.loads(results_of(intervals))
        more["estimates"]["no-such-study"] = 1.0
        evidence = judge(checks, tmp_path, intervals, 6, answers, results=json.dumps(more))
        assert "stands in results.json and has no numbers in answers.csv" in evidence
        return
    if results == "other widths":
        results = results_of(
            {name: (middle, low - 1, high) for name, (middle, low, high) in intervals.items()}
        )
    evidence = judge(checks, tmp_path, intervals, 6, answers, results=results)
    assert "of results.json is" in evidence
    assert "answers.csv says" in evidence


@pytest.fixture(scope="module")
def given(checks: Path) -> Intervals:
    """What the best known analysis finds in the given studies."""
    program = (
        f"import sys; sys.path[:0] = {[str(checks / 'checks'), str(checks / 'drawing')]!r}\n"
        "import json, batch\nbatch.decide = lambda check: None\nimport given\n"
        "print(json.dumps(batch.analyse_all(given.given_studies())))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return dict(json.loads(printed.stdout))


def judge_given(checks: Path, folder: Path, intervals: Intervals, given: Intervals) -> str:
    """The evidence of the check about these intervals for the given studies; empty if it is met."""
    for run, found in (("default", given), ("drawn-studies", intervals)):
        lines = [f"{name},{middle},{low},{high},open" for name, (middle, low, high) in found.items()]
        (folder / "outputs" / run).mkdir(parents=True)
        text = "\n".join(["study,estimate,low,high,answer", *lines]) + "\n"
        (folder / "outputs" / run / "answers.csv").write_text(text)
    command = [sys.executable, str(checks / "checks" / "given.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout if done.returncode else ""


@pytest.mark.parametrize("part", [0.0, 0.1])
def test_numbers_near_those_of_the_best_known_analysis_are_right_for_the_given_studies(
    checks: Path, intervals: Intervals, given: Intervals, tmp_path: Path, part: float
) -> None:
    near = {
        name: (middle + part * (high - low), low, high + part * (high - low))
        for name, (middle, low, high) in given.items()
    }
    assert judge_given(checks, tmp_path, intervals, near) == ""


def test_numbers_for_the_given_studies_cannot_be_invented(
    checks: Path, intervals: Intervals, given: Intervals, tmp_path: Path
) -> None:
    first = next(iter(given))
    moved = {
        name: (2 * high - low, high + 0.01, 3 * high - 2 * low) if name == first else (middle, low, high)
        for name, (middle, low, high) in given.items()
    }
    evidence = judge_given(checks, tmp_path, intervals, moved)
    assert f"the interval of {first!r} in data/ and the best known one have no number in common" in evidence


def test_estimates_of_the_given_studies_are_near_the_best_known_ones(
    checks: Path, intervals: Intervals, given: Intervals, tmp_path: Path
) -> None:
    ends = {name: (high, low, high) for name, (_, low, high) in given.items()}
    assert "widths from the best known ones" in judge_given(checks, tmp_path, intervals, ends)


def test_every_given_study_has_a_line(
    checks: Path, intervals: Intervals, given: Intervals, tmp_path: Path
) -> None:
    fewer = dict(list(given.items())[1:])
    evidence = judge_given(checks, tmp_path, intervals, fewer)
    assert evidence.startswith("answers.csv has 7 lines for 8 given studies")


@pytest.mark.parametrize("factor", [0.2, 12])
def test_the_interval_of_a_given_study_is_neither_much_wider_nor_much_narrower_than_the_best_known_one(
    checks: Path, intervals: Intervals, given: Intervals, tmp_path: Path, factor: float
) -> None:
    first = next(iter(given))
    middle, low, high = given[first]
    changed = given | {first: (middle, middle + factor * (low - middle), middle + factor * (high - middle))}
    evidence = judge_given(checks, tmp_path, intervals, changed)
    assert evidence.startswith(f"the interval of {first!r} in data/ is {factor} times as wide as the best")


def test_the_estimate_of_one_given_study_may_not_be_far_from_the_best_known_one(
    checks: Path, intervals: Intervals, given: Intervals, tmp_path: Path
) -> None:
    first = next(iter(given))
    middle, low, high = given[first]
    far = middle + 3.5 * (high - low)
    evidence = judge_given(checks, tmp_path, intervals, given | {first: (far, low, far)})
    assert evidence.startswith(f"the estimate of {first!r} in data/ is 3.5 widths from the best known one")


OPEN_STUDY = """
import sys
sys.path[:0] = [CHECKS, DRAWING]
import batch
batch.decide = lambda check: None
import given
best = batch.analyse_all(given.given_studies())
for name, found in best.items():
    print(name, *(found or ("", "", "")), sep=",")
"""


def judge_labs(folder: Path, lines: list[str]) -> str:
    """The evidence of the check about these lines for the given studies; empty if it is met."""
    output = folder / "outputs" / "default"
    output.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["study,estimate,low,high,answer", *(f"{line},open" for line in lines)])
    (output / "answers.csv").write_text(text + "\n")
    command = [sys.executable, str(folder / "checks" / "given.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout if done.returncode else ""


def test_given_studies_that_cannot_give_the_number_are_left_empty(tmp_path: Path) -> None:
    folder = write_tests("many-labs", tmp_path)
    places = f"CHECKS, DRAWING = {str(folder / 'checks')!r}, {str(folder / 'drawing')!r}\n"
    printed = subprocess.run(
        [sys.executable, "-c", places + OPEN_STUDY], capture_output=True, text=True, check=True
    )
    best = printed.stdout.split()
    empty = [number for number, line in enumerate(best) if line.endswith(",,,")]
    full = [number for number in range(len(best)) if number not in empty]
    assert judge_labs(folder, best) == ""

    def emptied(count: int) -> list[str]:
        return [
            f"{line.partition(',')[0]},,," if number in full[:count] else line
            for number, line in enumerate(best)
        ]

    assert judge_labs(folder, emptied(1)) == ""
    assert judge_labs(folder, emptied(2)).startswith("2 studies of data/ have no numbers")
    name = best[empty[0]].partition(",")[0]
    invented = [f"{name},1,0.5,1.5" if number == empty[0] else line for number, line in enumerate(best)]
    assert judge_labs(folder, invented).startswith(f"{name!r} in data/ cannot give the number")


DRAWN_STUDIES = """
import json, sys
sys.path[:0] = [CHECKS, DRAWING]
import reference, studies
batch = studies.draw_batch(SEED)
rows = {name: studies.as_read(lines) for name, (lines, _) in batch.items()}
hopeless = [name for name, (_, truth) in batch.items() if truth.get("undecidable")]
found = reference.analyse_all(rows)
print(json.dumps({name: None if name in hopeless else found[name] for name in rows}))
"""


@pytest.mark.parametrize(
    ("entry", "evidence"),
    [
        (None, ""),
        (float("nan"), ""),
        (1.5, "stands in results.json and has no numbers in answers.csv"),
    ],
)
def test_results_may_name_a_study_without_numbers_with_null(
    tmp_path: Path, entry: float | None, evidence: str
) -> None:
    folder = write_tests("lost-runs", tmp_path, count=40)
    places = f"CHECKS, DRAWING = {str(folder / 'checks')!r}, {str(folder / 'drawing')!r}\nSEED = {SEED}\n"
    printed = subprocess.run(
        [sys.executable, "-c", places + DRAWN_STUDIES], capture_output=True, text=True, check=True
    )
    found = json.loads(printed.stdout)
    numbers = {name: tuple(line) for name, line in found.items() if line is not None}
    assert 0 < len(numbers) < len(found)
    results = json.loads(results_of(numbers))
    results["estimates"] |= {name: entry for name, line in found.items() if line is None}
    margin = json.loads((folder / "drawing/settings.json").read_text())["margin"]
    lines = ["study,estimate,low,high,answer"]
    for name, line in found.items():
        if line is None:
            lines.append(f"{name},,,,open")
            continue
        same = -margin <= line[1] and line[2] <= margin
        answer = "same" if same else "higher" if line[1] > 0 else "lower" if line[2] < 0 else "open"
        lines.append(",".join([name, *map(str, line[:3]), answer]))
    for run in ("default", "drawn-studies"):
        output = folder / "outputs" / run
        output.mkdir(parents=True)
        (output / "answers.csv").write_text("\n".join(lines) + "\n")
        (output / "results.json").write_text(json.dumps(results))
    (folder / "outputs" / "seeds.json").write_text(json.dumps({"drawn-studies": SEED}))
    command = [sys.executable, str(folder / "checks" / "complete.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if evidence else 0), done.stdout + done.stderr
    assert evidence in done.stdout


def test_choices_for_the_given_studies_are_nearly_always_the_best_known_ones(tmp_path: Path) -> None:
    folder = write_tests("best-of-many", tmp_path)
    places = f"CHECKS, DRAWING = {str(folder / 'checks')!r}, {str(folder / 'drawing')!r}\n"
    printed = subprocess.run(
        [sys.executable, "-c", places + OPEN_STUDY], capture_output=True, text=True, check=True
    )
    best = [line.split(",") for line in printed.stdout.split()]
    output = folder / "outputs" / "default"
    output.mkdir(parents=True)
    for wrong, met in ((2, True), (3, False)):
        rows = [
            ",".join([*line[:4], "open", "none" if number < wrong else line[4]])
            for number, line in enumerate(best)
        ]
        text = "\n".join(["study,estimate,low,high,answer,choice", *rows])
        (output / "answers.csv").write_text(text + "\n")
        command = [sys.executable, str(folder / "checks" / "given.py")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == (0 if met else 1), done.stdout + done.stderr
        assert met or done.stdout.startswith("5 of 8 choices for data/ are those of the best known analysis")


def test_every_experiment_with_drawn_studies_says_that_numbers_may_be_rounded() -> None:
    tasks = [load_task(path.parent) for path in sorted(DATA.glob("*/task.toml"))]
    drawn = [task for task in tasks if "checks/complete.py" in task.tests]
    assert len(drawn) == 22
    assert [task.id for task in drawn if "checks/rounding.py" not in task.tests] == []
    assert [task.id for task in drawn if "You may round the numbers" not in task.instruction] == []
    for sentence in (
        "has the numbers of `answers.csv`",
        "absolute errors of your estimates",
        "at most 3 of its widths from its estimate",
        "these estimates are at most 0.25 widths apart",
        "at most 0.05 of these widths",
    ):
        assert [task.id for task in drawn if sentence not in " ".join(task.instruction.split())] == []


USUAL = """
import json, reference, studies
def usual(rows):
    differences = [float(row["new"]) - float(row["old"]) for row in rows if row["new"]]
    middle, half = sum(differences) / len(differences), FACTOR * 1.96 * (72 / len(differences)) ** 0.5
    return middle, middle - half, middle + half
analyse = usual if FACTOR else reference.analyse
drawn = studies.draw_batch(SEED)
print(json.dumps({name: analyse(studies.as_read(rows)) for name, (rows, _) in drawn.items()}))
"""


@pytest.mark.long
@pytest.mark.parametrize("factor", [0, 1.15])
def test_a_factor_does_not_make_the_usual_interval_of_stopped_trials_pass(
    tmp_path: Path, factor: float
) -> None:
    write_tests("stopped-early", tmp_path, count=300)
    program = f"import sys; sys.path[:0] = [{str(tmp_path / 'drawing')!r}, {str(tmp_path / 'checks')!r}]"
    printed = subprocess.run(
        [sys.executable, "-c", f"SEED, FACTOR = {SEED}, {factor}\n{program}{USUAL}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = ["study,estimate,low,high,answer"]
    for name, (estimate, low, high) in json.loads(printed).items():
        answer = "higher" if low > 0 else "lower" if high < 0 else "open"
        answer = "same" if low >= -1.5 and high <= 1.5 else answer
        lines.append(f"{name},{estimate:.6f},{low:.6f},{high:.6f},{answer}")
    for run in ("default", "drawn-studies"):
        (tmp_path / "outputs" / run).mkdir(parents=True)
        (tmp_path / "outputs" / run / "answers.csv").write_text("\n".join(lines) + "\n")
        (tmp_path / "outputs" / run / "results.json").write_text(results_of(json.loads(printed)))
    (tmp_path / "outputs" / "seeds.json").write_text(json.dumps({"drawn-studies": SEED}))
    command = [sys.executable, str(tmp_path / "checks" / "comparison.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if factor else 0), done.stdout + done.stderr
    assert not factor or done.stdout.startswith("the interval score is")
