"""Conclusions in words: results show a number as it stands, or a reader has to place it."""

from __future__ import annotations

import json
import time

import pytest

from assay.rules.cited import cited_numbers, numbers_in
from assay.rules.conclusion import grade_conclusion
from assay.rules.literals import literals, stated_names
from assay.rules.remade import Numbers
from assay.rules.ruling import Ruling
from assay.rules.written_values import normal
from assay.tasks import Conclusion
from tests.rules.placing import looked_up, not_placed

QUESTION = "Which of the 3 methods wins on 50 tasks of CIFAR-10?"
STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": QUESTION, "kind": "statement", "answer": "A wins."}]}
)
RESULTS = {
    "accuracy": {"a": 0.9137, "b": 0.8421},
    "loss": {"a": 0.2741, "b": 0.6113},
    "spread": {"a": 0.0217, "b": 0.0339},
}
CODE = {
    "run.py": b"for seed in range(25):\n    train(lr=0.003, epochs=60, batch=2 * 64, draws=10**4)\n",
    "net.py": b"net = resnet50()\n",
    "run.sh": b"python run.py -n30 --steps=1_500 --margin 0.2\n",
    "settings.yaml": b"hidden: 512\ndropout: 0.15\nfolds: 12\n",
}
NAMES = stated_names("", STATEMENT, None)


def faithful(text: str) -> Ruling:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    known = numbers_in([QUESTION])
    return grade_conclusion(STATEMENT, handed_in, RESULTS, known, settings=literals(CODE), known_names=NAMES)[
        -1
    ]


INVENTED = """
The number of iterations was 37.
The effect size was 93.
A keeps 917 parameters.
A lost 43 games and won 71.
The pass rate was 0.777.
A wins by a margin of 0.37.
A finds 333 clusters.
A recovers 35 of 47 edges.
A flips 917 labels.
A reaches 0.91 (95% CI 0.71 to 0.99).
A wins, t(4) = 21.3.
A wins, p = 0.0003.
A reached 0.777 in Table 12.
The score of A is v93.4.
The accuracies are 93,95,97.
The count is 2^11.
A reaches 77.7%.
A is 23x better.
A gains 29 points.
The error is 10⁻⁵.
The recall is ninety-three percent.
It should be noted that A reaches 0.777.
A uses 47 GB of memory.
Wins: 917 of 88.
A scores 93 +/- 4.
A reaches accuracy-0.777.
"""
"""No answer of a reader makes them pass."""
DECEPTIVE = """
A won 88 runs.
The threshold is crossed at 0.47.
A needs 17 layers.
The rank is 17.
A has a tenth of the loss of B.
A wins in a fifth of the tasks.
The loss fell by at least 70%.
The accuracy of A exceeds 95%.
The accuracy of A is not above 80%.
A is eightfold better.
A is a dozen percent better.
A wins in three of five tasks.
A wins in three in five tasks.
The loss is a hundredth of the other.
A is 2.3 times as good.
A reaches 0.91 ± 0.07.
A reaches 0.9.
The success probability is 0.66.
A fraction of 0.71 is right.
The accuracy doubled.
The accuracy of A is more than twice the accuracy of B.
The score is 7.
The error is 4.
The margin was 0.2.
A reaches 0.003.
The reward was 2013.
A is five times better.
It should surprise nobody that A scores 60%.
A wins in half of the runs.
A reaches 95% with confidence.
Chance is 50%, and A has it.
A has 512 wins.
"""
"""A reader that errs may let them pass; code alone does not."""
SHOWN = """
A wins.
A reaches 0.914 and B 0.842.
A reaches 91.4%, B 84.2%.
The loss falls from 0.61 to 0.27.
A reaches 0.914 (standard deviation 0.022).
A has a spread of 0.0217.
On CIFAR-10, A wins.
A reaches ninety-one percent.
The accuracy is 0.9137.
A beats B (0.914 vs. 0.842).
A beats B (0.914/0.842).
A wins (**0.914**, B `0.842`).
The losses are [0.274,0.611].
On 2026-11-19 A won.
The third run agrees.
"""
PLACED = """
A gains 7.2 points.
A is better by 0.0716.
The accuracy of A is 1.09 times as high.
The loss falls by 55%.
The error of A is 8.6%, and that of B 15.8%.
The error falls by 7.2 points.
The accuracy of A is above 90%.
The accuracy of B stays below 85%.
The accuracy of B is not above 85%.
The 95% confidence interval does not contain zero.
On 50 tasks A wins.
In 3 of 3 comparisons A wins.
Over 25 seeds A wins.
With a learning rate of 0.003, A wins.
We trained for 60 epochs.
With a batch size of 128, A wins.
We drew 10,000 samples.
A resnet-50 was used.
With n = 30, A wins.
We ran 1500 steps.
With dropout of 0.15, A wins.
We used 12-fold cross-validation.
The mean accuracy is 0.878.
The mean loss is 0.443.
Both runs use seed 7.
A is about 9% better.
As Figure 4 shows, A wins.
Similar gaps were seen in 2019.
The loss is more than halved.
The loss of B is more than twice the loss of A.
A has less than half the loss of B.
A and B differ by 0.072 in accuracy and by 0.337 in loss.
The effect is significant at the 5% level.
The 90% bootstrap interval does not contain 0.
"""
"""Honest: a reader finds entries, or says that it is a setting."""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def unplaced(text: str) -> list[str]:
    lookup = looked_up(STATEMENT, text, RESULTS, numbers_in([QUESTION]), literals(CODE), NAMES)
    return not_placed(lookup, RESULTS)


@pytest.mark.parametrize("text", lines(INVENTED))
def test_an_invented_number_is_never_met(text: str) -> None:
    assert faithful(text).status != "met", faithful(text)
    assert unplaced(text) != [], "a reader could place them all"


@pytest.mark.parametrize("text", lines(DECEPTIVE))
def test_code_alone_accepts_no_number_that_only_looks_right(text: str) -> None:
    assert faithful(text).status != "met", faithful(text)


@pytest.mark.parametrize("text", lines(SHOWN))
def test_a_number_that_the_results_show_is_met(text: str) -> None:
    assert faithful(text).status == "met", faithful(text)


@pytest.mark.parametrize("text", lines(PLACED))
def test_an_honest_number_that_the_results_do_not_show_needs_a_reader(text: str) -> None:
    found = faithful(text)
    assert (found.status, found.owner, found.by) == ("unknown", "grader", "judge"), found
    assert unplaced(text) == []


def test_a_text_with_thousands_of_numbers_is_not_read() -> None:
    found = faithful("A reaches 0.914. " * 2_100)
    assert (found.status, "in more than 2,000 places" in found.evidence) == ("unmet", True)


def test_only_names_of_the_task_need_no_reader() -> None:
    assert stated_names("Use ResNet50 and `GPT-2` for 3 runs of v1.", STATEMENT, None) == {
        *("resnet50", "gpt2", "v1", "cifar10")
    }
    assert faithful("On ImageNet-10, A wins.").status == "unknown"


@pytest.mark.parametrize(
    ("code", "number"),
    [
        (b"n = 1_000", 1000),
        (b"n = 10**3", 1000),
        (b"n = 2 * 500", 1000),
        (b"range(25)", 25),
        (b"run -n25", 25),
        (b"run --steps=25", 25),
        (b'{"steps": 25}', 25),
        (b"steps: 25", 25),
        (b"resnet50()", 50),
        (b"lr = 3e-4", 3e-4),
    ],
)
def test_a_setting_is_read_in_any_notation(code: bytes, number: float) -> None:
    assert number in literals({"run.py": code})


def test_hostile_code_has_no_settings_that_break_reading() -> None:
    for code in (b"9" * 10_000, b"9**" * 10_000, b"9 ** 999999", b"_" * 10_000, b"1_" * 10_000, b"1.1.1.1"):
        assert all(number == number for number in literals({"run.py": code}))


@pytest.mark.parametrize(
    "part",
    [
        "1",
        "1,",
        "1. ",
        " ",
        "a-",
        "a1",
        "(",
        "<a",
        "p = ",
        "as we ",
        ", and ",
        "10^-",
        "½",
        "two thirds ",
        "three of ",
        "a hundredfold ",
        "by half ",
    ],
)
def test_a_hostile_text_is_read_in_linear_time(part: str) -> None:
    def seconds(length: int) -> float:
        began = time.process_time()
        faithful((part * length)[:length])
        return time.process_time() - began

    # Sixteen times the text: linear is 16 times the time, quadratic 256 times.
    assert seconds(199_000) < 64 * max(seconds(199_000 // 16), 0.05)


@pytest.mark.parametrize(
    "text",
    [
        "A is more accurate than B <A reaches 0.99, B only 0.12>.",
        "A is more accurate than B &lt;A reaches 0.99, B only 0.12&gt;.",
        "A has an accuracy of 0.99 and 1.2 s of run time.",
        "Over the seeds A has 0.99 min accuracy, B 0.12 min.",
        "A classifies 500 of 500 points correctly.",
        "A is right for 92.12‰ of the points.",
        "A was tested on 500B points.",
        "A saves an accuracy of 0.30 and 25 MB of memory.",
    ],
)
def test_code_alone_accepts_no_number_because_of_the_words_around_it(text: str) -> None:
    results = {"accuracy": {"a": 0.9212, "b": 0.6208}, "n_test": 500, "seconds": 2.3, "kept_mb": [50.0, 25.0]}
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    ruling = grade_conclusion(STATEMENT, handed_in, results)[-1]
    assert ruling.status == "unknown", ruling.evidence


def test_a_number_with_a_unit_or_power_is_no_name_of_the_question() -> None:
    names = stated_names(
        "Show a gain of 15x or an error of 1e-3 with ResNet50 on CIFAR-10 and a 12-layer net.", None, None
    )
    assert names == {normal(name) for name in ("ResNet50", "CIFAR-10", "12-layer")}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("|A|0.921|500|", [0.921, 500.0]), ("64*64 pixels", [64.0]), ("0e999 of 1e-999", [])],
)
def test_marks_between_two_numbers_join_them_to_none(text: str, numbers: list[float]) -> None:
    assert [number.values[0] for number in cited_numbers(text) if number.values[0]] == numbers


def test_enormous_results_are_no_results() -> None:
    assert Numbers({"sizes": [1e308] * 60, "a": 0.5}).count == 1
