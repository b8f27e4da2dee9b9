"""The size that a claim states: a number with its unit and error, and names that the question has."""

from __future__ import annotations

import json

import pytest

from assay.rules.conclusion import grade_conclusion
from assay.rules.stated_size import stated_size
from assay.tasks import Claim, Conclusion

GAIN = Claim(
    id="gain",
    question="How much higher is the forest's accuracy with bagging than that of one tree, on held-out rows?",
    kind="magnitude",
    paths=["accuracy.bagging", "accuracy.tree"],
    answer=0.41,
    tolerance=0.005,
)


def claim(question: str, path: str, answer: float) -> Claim:
    return GAIN.model_copy(update={"question": question, "paths": [path], "answer": answer})


SECONDS = claim("How long does a fit take?", "fit.seconds", 2.5)
PERCENT = claim("How large is the error?", "error_percent", 41.0)
POINTS = claim("How many percentage points does bagging gain?", "gain", 12.5)
RATIO = claim("By which ratio are two dice higher than one?", "gain", 1.27)
DECIBELS = claim("How many dB does the filter gain?", "gain", 0.41)


RIGHT = r"""
forty-one percent |
0.41 | +0.41 | 4.1e-1 | 4.1 × 10⁻¹ | 4.1*10**-1 | =0.41 | `0.41` | 0.41. | 0,41 | .41 | 41% | 41 % |
41 percent | 41 per cent | 41 pct | 41 p.p. | 41 pp | 41 percentage points | 41 percentage-points | ~0.41 |
≈ 0.41 | about 0.41 | approx. 41% | 0.41 accuracy | 0.41 (accuracy) | 0.41 higher |
0.41 higher accuracy on held-out rows | 0.41 ± 0.004 | 0.41 +/- 0.02 | 0.41 (±0.02) | 0.41 ± 0.02 (SD) |
0.41 ± 0.02 accuracy | 41% ± 2% | 41 ± 2% | 0.41 (SD 0.02) | 0.41 (SD = 0.02) | 0.41 (s.d. 0.02, n = 5) |
0.41 (SE 0.004) | 0.41 (standard error 0.004) | 0.41 (std 0.02) | 0.41, SD 0.02 |
0.41 (standard deviation of 0.02) | 0.41 (95% CI 0.39 to 0.43) | 41% (95% CI: 39% - 43%) |
0.41, 95% CI [0.39, 0.43] | 0.41 [0.39, 0.43] | 0.41 (0.39–0.43) | 0.41 (95% CI: 0.39–0.43, n = 20) |
41% (0.39 to 0.43) | 0.41 (IQR 0.38 to 0.45) | 0.41 accuracy (SD 0.02) |
0.41 (95% confidence interval 0.39 to 0.43) | 0.41 (41%) | 41% (0.41) | 0.41 (n=5) | 0.41 (n = 5) |
0.41 ± 2% | 0.41 ± 0.02 SD | 0.41 ± 0.02 SE
"""
WRONG = r"""
0.41 base 0.9 | 0.41 false 0.5 | forty-two percent | four | 0.41 forty |
0.41 placeholder | not 0.41 | 0.41 or 0.5 | 0.41 lower | 0.41 wrong | 0.41 is a guess | 0.41 (wrong) |
0.41 not | 0.41 or more | 0.41 maybe | at most 0.41 | less than 0.41 | 0.41 isn't true | ±0.41 | 0.41? |
0.41 would be false | 0.41 (or 0.5) | 0.41 to 0.9 | 0.41, no 0.5 | 0.41 at first instead | almost 0.41 |
twice 0.41 | about 0.41 or so | false: 0.41 | 0.41 rejected | 0.41 we ran another | 0.41 as in the paper |
0.41 (invented) | 0.41 (before the fix) | 0.41 (0.5) | 0.41 (really 0.5) | 0.41 0.5 | 0.41; 0.5 | 0.41 / 0.5
| 0.41 [0.5, 0.9] | 0.41 (95% CI 0.5 to 0.9) | 0.41 = 0.5 | 0.41 ± 0.02 or 0.5 | 0.41 dB | 0.41 ms |
0.41 points | 0.41 units of accuracy | 0.41 epochs | 0.41x | 0.41% | 0.41 per cent | 0.41 percentage points
| 0.41 permille | 0.41 per mille | 0.41 thousandths | 0.41 basis points | 0.41 billions |
0.41 orders of magnitude | 0.41 percents | 41,00 %% | 0.41K | 41 | 0.5 | 4.1e-2 | 4.1 | 4.1% | -0.41 |
0.41 (42%) | 0.41 (n=5 | 0.41 (n=five) | 0.41-fold | 0.41 ± 0.02 SD 0.5 | 0.41 (41) | 4.1 (41%) |
1 - 0.41 | 0.41^2 | ? | accuracy
"""


def sizes(text: str) -> list[str]:
    """The answers of a list with bars between them."""
    return [size.strip() for size in text.split("|")]


def status(size: object, asked: Claim = GAIN) -> str:
    """The status of the claim, which is that of both its items."""
    answers = dict(zip(asked.paths, (0.71, 0.3), strict=False))
    results: dict[str, object] = {}
    for path, number in (answers if len(answers) == 2 else {asked.paths[0]: asked.answer}).items():
        first, *others = path.split(".")
        table = results.setdefault(first, {})
        results[first] = {**table, others[0]: number} if others and isinstance(table, dict) else number
    handed_in = json.dumps({"claims": {asked.id: size}}).encode()
    found = {ruling.status for ruling in grade_conclusion(Conclusion(claim=[asked]), handed_in, results)}
    assert len(found) == 1, found
    return found.pop()


@pytest.mark.parametrize("size", [*sizes(RIGHT), *[0.41, " 0.41 "]])
def test_a_number_with_its_unit_error_and_names_of_the_question_is_a_size(size: object) -> None:
    assert status(size) == "met"


@pytest.mark.parametrize("size", [*sizes(WRONG), *["", True, None, [0.41], {"value": 0.41}]])
def test_anything_else_beside_a_number_makes_it_no_size(size: object) -> None:
    assert status(size) == "unmet"


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        (
            SECONDS,
            ["2.5", "2.5 s", "2.5 seconds", "2500 ms", "2.5 ± 0.1 s", "2.5 s ± 0.1 s"],
            ["2.5x", "2.5 s ± 0.1 ms", "2.5 ms", "2.5 min", "2.5 GB", "2.5%"],
        ),
        (PERCENT, ["41", "41%", "41 percent", "41.0 ± 0.2%"], ["0.41", "0.41%", "41 s", "41 dB"]),
        (POINTS, ["12.5", "12.5 percentage points", "12.5 pp", "12.5%"], ["0.125", "12.5 s", "0.125%"]),
        (
            RATIO,
            ["1.27", "1.27x", "1.27×", "1.27-fold", "1.27 ± 0.01 SD"],
            ["27", "1.27%x", "1.27xy", "0.27x"],
        ),
        (DECIBELS, ["0.41", "0.41 dB", "0.41 dB (SD 0.1)"], ["0.41%", "0.41 s", "0.41 ppl"]),
    ],
)
def test_a_unit_must_fit_that_of_the_truth(asked: Claim, right: list[str], wrong: list[str]) -> None:
    assert [size for size in right if status(size, asked) != "met"] == []
    assert [size for size in wrong if status(size, asked) != "unmet"] == []


def test_the_evidence_says_which_form_is_expected() -> None:
    handed_in = json.dumps({"claims": {"gain": "0.41 placeholder"}}).encode()
    results = {"accuracy": {"bagging": 0.71, "tree": 0.3}}
    for ruling in grade_conclusion(Conclusion(claim=[GAIN]), handed_in, results):
        assert "0.41 placeholder (which is no size: write a number, or" in ruling.evidence


@pytest.mark.parametrize(
    "piece", ["1", "1,", "1.", "a ", "( ", "± 1", "(SD 1", "SD ", "[1, ", "1 to ", "%", "- "]
)
def test_no_answer_makes_the_search_slow(piece: str) -> None:
    """One that takes exponential time would not end."""
    for text in (piece * 1_000, f"0.41 {piece * 900}", f"0.41 ({piece * 900}"):
        assert stated_size(GAIN, text) in (None, 0.41, 1.0)


def test_the_s_of_a_name_is_no_unit() -> None:
    assert "forest's" in GAIN.question
    assert (status("0.41 s"), status("410 ms")) == ("unmet", "unmet")
