"""Grading rules as one value: in logs of today as a field, in older ones behind the suite's name."""

from __future__ import annotations

from typing import Any

import pytest

from assay.grading import GradingRules
from assay.grading.grading_rules import rules_of_log, title_of_log

PUBLISHED = GradingRules("published")
JUDGED = GradingRules(judge_model="openai/gpt-5", judge_repeats=5)
BOTH = GradingRules("published", "local/a×b", 1)


@pytest.mark.parametrize("rules", [GradingRules(), PUBLISHED, JUDGED, BOTH])
def test_a_log_gives_back_its_rules_whatever_its_age(rules: GradingRules) -> None:
    new = {"suite": "demo[1]", "rules": rules.as_log()}
    old = {"suite": rules.title("demo[1]")}
    for about in (new, old):
        assert rules_of_log(about) == ("demo[1]", rules)
        assert title_of_log(about) == rules.title("demo[1]")


@pytest.mark.parametrize(
    ("about", "title"),
    [
        ({"suite": "demo"}, "demo"),
        ({"suite": "demo", "tolerance": "default", "judge": None}, "demo"),
        ({"suite": "demo[tolerance=published]", "tolerance": "published"}, "demo[tolerance=published]"),
    ],
)
def test_titles_of_old_logs_stay(about: dict[str, Any], title: str) -> None:
    assert title_of_log(about) == title


def test_without_a_judge_the_number_of_its_votes_makes_no_other_rules() -> None:
    assert GradingRules(judge_repeats=5) == GradingRules()
