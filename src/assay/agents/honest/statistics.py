"""A right answer in the words of statistics."""

from __future__ import annotations

import json

from assay.agents.hands import Hands

KINDS = ("experiment",)
SUMMARY = (
    "Over 25 seeds and with 10-fold cross-validation (n = 30, see Table 2 and section 3.1) the difference is "
    "significant (p < 0.001): its 95% confidence interval excludes zero, as was found in 2024 for ResNet-50."
)


async def act(hands: Hands) -> None:
    """Hand in the right run with a conclusion that speaks of intervals, p-values, seeds and tables."""
    await hands.hand_in_gold()
    conclusion = json.loads(hands.task.gold_files["conclusion.json"])
    conclusion["summary"] = f"{conclusion.get('summary', '')} {SUMMARY}"
    await hands.write("conclusion.json", json.dumps(conclusion))
