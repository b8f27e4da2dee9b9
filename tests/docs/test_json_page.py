"""The page on JSON output names every field of the shapes that it describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from assay.benchmarks.expbench.published import CategorySize, Recomputed
from assay.benchmarks.expbench.published_rest import (
    PublishedChecks,
    PublishedFailure,
    PublishedMean,
    PublishedRung,
)
from assay.planning.challenge_power import ChallengePower, NeededAttempts
from assay.planning.forecast import Forecast
from assay.planning.judge_forecast import JudgeForecast
from assay.scoring.scorecards.decided_items import DecidedItems
from assay.scoring.scorecards.item_analysis import TaskAnalysis
from assay.scoring.scorecards.partial_credit import Credit
from assay.scoring.scorecards.phases import Measure, PhaseCard, PhaseScores

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text()

DESCRIBED: dict[str, tuple[type[BaseModel], ...]] = {
    "### Experiments, phase by phase": (PhaseScores, Measure, Credit, DecidedItems),
    "## `assay report LOGS --table phases": (PhaseCard,),
    "## `assay report LOGS --table items": (TaskAnalysis,),
    "## `assay published SUITE --json`": (
        PublishedChecks,
        CategorySize,
        Recomputed,
        PublishedRung,
        PublishedFailure,
        PublishedMean,
    ),
    "## `assay plan SUITE --json`": (Forecast, JudgeForecast, ChallengePower, NeededAttempts),
}


@pytest.mark.parametrize("heading", DESCRIBED)
def test_a_section_names_every_field_of_its_shapes(heading: str) -> None:
    section = re.split(r"^##+ ", PAGE.split(f"\n{heading}")[1], flags=re.MULTILINE)[0]
    named = set(re.findall(r"`(?:[\w\[\]]+\.)?(\w+)`", section))
    missing = {
        f"{model.__name__}.{field}"
        for model in DESCRIBED[heading]
        for field in model.model_fields
        if field not in named | {"suite"}
    }
    assert missing == set()
