"""Prompts of EXP-Bench without statements of the outcome: what is cut, what stays, and what is listed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks import expbench
from assay.benchmarks.expbench.leakage import measure_leak, measure_task, total_leaks
from assay.benchmarks.expbench.outcome_words import TaskOutcome, occurrences, protected
from assay.benchmarks.expbench.prompt import RedactedPrompt, published_parts, redact_prompt
from assay.benchmarks.expbench.redaction import RedactedText, redact
from tests.benchmarks.published_experiments import shared_tasks

OUTCOME = TaskOutcome(
    "The fast sampler is 10-1000x faster than plain sampling while it keeps the accuracy above 80%,"
    " and the error falls from 14.25 to 7.5.",
    "Is the fast sampler faster than plain sampling?",
    ("64 samples", "0.1", "CIFAR-10"),
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Run both samplers. The goal is to demonstrate that the fast sampler is 10–1000x faster.",
            "Run both samplers. The goal is to (redacted).",
        ),
        (
            "The expected outcome is that the error falls when the fast sampler is better. Save a plot.",
            "(redacted). Save a plot.",
        ),
        (
            "Compare the accuracy (e.g., a fast sampler that improves the error to 7.5) of both samplers.",
            "Compare the accuracy (redacted) of both samplers.",
        ),
        ("The accuracy is above 80% with 64 samples.", "The accuracy is above (redacted) with 64 samples."),
        ("The fast sampler is expected to win by a higher accuracy.", "The fast sampler (redacted)."),
        (
            "- Verify that the sampler:\n- keeps the accuracy\n- writes a file",
            "- Verify that the sampler:\n- (redacted)\n- writes a file",
        ),
        (
            "Demonstrate that plain sampling on CIFAR-10 is slower than fast sampling.",
            "(redacted; with CIFAR-10).",
        ),
    ],
)
def test_what_states_the_outcome_is_cut(text: str, shown: str) -> None:
    assert redact(text, OUTCOME).text == shown


@pytest.mark.parametrize(
    "text",
    [
        "Determine whether the fast sampler is faster than plain sampling and keeps the accuracy.",
        "Use a learning rate of 0.1 and 64 samples on CIFAR-10, as GPT-3.5 and a 14.25B model would.",
        "The output should be a plot showing the accuracy of each sampler.",
        "Accuracy: higher is better.",
        "Verify that the file exists.",
        "See Table 7.5 and Figure 80.",
    ],
)
def test_what_asks_or_describes_stays(text: str) -> None:
    assert redact(text, OUTCOME) == RedactedText(text, ())


def test_a_question_loses_only_its_numbers() -> None:
    question = "Is the fast sampler faster than plain sampling, and is its accuracy above 80%?"
    assert redact(question, OUTCOME, is_question=True).text == question.replace("80%", "(redacted)")
    statement = "The fast sampler is faster than plain sampling."
    assert redact(statement, OUTCOME, is_question=True).text == statement
    both = "Is it faster? We hypothesize that the fast sampler is faster than plain sampling."
    assert redact(both, OUTCOME, is_question=True).text == "Is it faster? (redacted)."


PIECES = st.sampled_from(
    [
        "The goal is to demonstrate that ",
        "the fast sampler is faster than plain sampling",
        " with 64 samples",
        " (e.g., the error drops to 7.5)",
        ", showing that the accuracy improves",
        ", and compare the accuracy",
        ". ",
        "? ",
        "\n- ",
        ":\n",
        " on CIFAR-10",
        " 0.1",
        " above 80%",
        "10-1000x",
        "It is expected to be better",
        " whether it keeps the accuracy",
        "((",
        ")",
        "(redacted)",
        "é–",
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


@given(TEXTS, st.booleans())
def test_a_redaction_keeps_settings_changes_only_what_it_lists_and_is_stable(
    text: str, is_question: bool
) -> None:
    redacted = redact(text, OUTCOME, is_question=is_question)
    for setting in protected(text, OUTCOME.settings):
        assert occurrences(setting, redacted.text), setting
    assert redact(redacted.text, OUTCOME, is_question=is_question).text == redacted.text
    assert restored(redacted.text, [cut for _, cut in redacted.cuts], text)


def restored(shown: str, cuts: list[str], text: str) -> bool:
    """Whether some marks of a text, replaced by the cuts in their order, give the original."""
    if not cuts:
        return shown == text
    for mark in re.finditer(r"\(redacted(?:; with [^()]*)?\)", shown):
        head = shown[: mark.start()] + cuts[0]
        if text.startswith(head) and restored(shown[mark.end() :], cuts[1:], text[len(head) :]):
            return True
    return False


@pytest.fixture(scope="module")
def whole() -> expbench.Records:
    """Everything that was published."""
    return expbench.read_records(shared_tasks())


@pytest.mark.long
def test_no_published_prompt_states_its_outcome_after_the_redaction(whole: expbench.Records) -> None:
    prompts = [redact_prompt(record) for record in whole.tasks]
    leakage = [measure_task(prompt) for prompt in prompts]
    before = total_leaks([task.published for task in leakage])
    after = total_leaks([task.redacted for task in leakage])
    assert (before.with_numbers, after.with_numbers) == (33, 0)
    assert (before.claimed, after.claimed) == (10, 1)
    assert after.long_runs < before.long_runs == 63
    check_cuts(prompts)


def test_a_redaction_cuts_and_changes_nothing_else(whole: expbench.Records) -> None:
    """In a tenth of what was published; the long test has all of it."""
    prompts = [redact_prompt(record) for record in whole.tasks[::10]]
    assert any(part.cuts for prompt in prompts for part in prompt.parts.values())
    check_cuts(prompts)


def check_cuts(prompts: Sequence[RedactedPrompt]) -> None:
    """Require that each prompt is the published one less its cuts, keeps its settings, and is cut once."""
    for prompt in prompts:
        published = {name: text.strip() for name, text in published_parts(prompt.record).items()}
        for name, part in prompt.parts.items():
            assert restored(part.text, [cut for _, cut in part.cuts], published[name]), prompt.record.id
            for setting in protected(published[name], prompt.outcome.settings):
                assert occurrences(setting, part.text), (prompt.record.id, setting)
            if part.cuts:
                again = redact(part.text, prompt.outcome, is_question=name == "question")
                assert again.cuts == (), prompt.record.id


def test_the_outcomes_named_in_the_issue_are_cut(whole: expbench.Records) -> None:
    records = {record.id: record for record in whole.tasks}
    for task_id, leak in (
        ("neurips2024/93022/2", "10-1000x"),
        ("iclr2024/19033/2", "above 80%"),
        ("neurips2024/98318/5", "better mean return"),
        ("neurips2024/97674/1", "consistently perform worse"),
        ("iclr2024/19388/9", "43 corrupted"),
    ):
        shown = "\n".join(part.text for part in redact_prompt(records[task_id]).parts.values())
        assert leak in records[task_id].prompt
        assert leak not in shown


def test_a_leak_is_measured_in_words_groups_and_numbers() -> None:
    leak = measure_leak("We see that the error falls from 14.25 to 9.", OUTCOME)
    assert (leak.longest_run, leak.run) == (7, "the error falls from 14 25 to")
    assert leak.numbers == ("14.25 to 9",)
    assert 0 < leak.cover < 0.4
    assert measure_leak("", OUTCOME).cover == 0


def test_a_number_that_the_design_reports_as_measured_is_cut_and_a_threshold_stays() -> None:
    reported = ("Median Dice score (e.g. 0.4509 and 0.7298) at IoU 0.5, with 95% confidence",)
    outcome = TaskOutcome("The zoom method has the higher Dice score.", "Which is better?", (), reported)
    text = "A resize method targeting a Dice score of 0.4509, at IoU 0.5, with 95% intervals."
    assert redact(text, outcome).text == (
        "A resize method targeting a Dice score of (redacted), at IoU 0.5, with 95% intervals."
    )
