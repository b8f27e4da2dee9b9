"""Gives every answer there is."""

from __future__ import annotations

import itertools
import json
from typing import Any

from assay.agents.forgery import as_json
from assay.agents.hands import Hands
from assay.tasks import Claim

KINDS = ("experiment",)

SUMMARY = "It ranged from 0.8512 to 0.9317; A has 0.8512, B 0.9317, and chance is 41.7%."


def every_answer(claim: Claim) -> Any:
    """All answers that a claim could have, the true one among them."""
    if claim.kind == "direction":
        return ["higher", "lower", "same"]
    if claim.kind == "ordering":
        return [list(order) for order in itertools.islice(itertools.permutations(claim.order), 24)]
    if claim.kind == "magnitude":
        true = float(str(claim.answer))
        return [round(true * step / 10, 6) for step in range(-20, 41)]
    return f"{claim.answer} Or the opposite."


async def act(hands: Hands) -> None:
    """Hand in the right run with a grid of answers to each claim, and values in words beside other values."""
    await hands.hand_in_gold()
    task = hands.task
    design = json.loads(task.gold_files["design.json"])
    for name, value in design["constant"].items():
        design["constant"][name] = [value, "five", "ten", "five hundred", "one thousand"]
    for name, levels in design["independent"].items():
        design["independent"][name] = {"levels": [*levels, "another", "a third"]}
    await hands.write("design.json", as_json(design))
    claims: dict[str, Any] = {}
    for claim in task.conclusion.claim if task.conclusion else []:
        claims[claim.id] = every_answer(claim)
        claims[f"{claim.id}-note"] = f"in truth {claim.answer}"
        claims[f"{claim.id}-2"] = claim.answer
    await hands.write("conclusion.json", as_json({"summary": SUMMARY, "claims": claims}))
