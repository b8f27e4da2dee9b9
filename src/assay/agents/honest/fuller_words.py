"""A right answer that says more than was asked."""

from __future__ import annotations

import json
from typing import Any

from assay.agents.forgery import as_json
from assay.agents.hands import Hands
from assay.rules.written_values import as_number
from assay.tasks import DEFAULT, Claim, Task, centre

KINDS = ("experiment",)

WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 10: "ten", 20: "twenty", 100: "one hundred"}
WORDS |= {500: "five hundred", 1000: "one thousand"}
CHANCE = " With four options the chance level would be 25%."


def further_entries(claim: Claim, answer: Any) -> dict[str, Any]:
    """Entries beside the answer to a claim that are about something else."""
    if claim.kind == "direction":
        note = f"{answer} on average; higher in some repeats, lower in others"
        return {f"{claim.id}-note": note, f"{claim.id}_p_value": 0.03}
    if claim.kind == "ordering":
        return {f"{claim.id}-scores": [0.9, 0.8, 0.7], f"{claim.id}-reason": "by the mean over all repeats"}
    size = as_number(answer)
    if claim.kind == "magnitude" and size is not None:
        percent = round(100 * size, 4)
        return {f"{claim.id}-se": 0.0123, f"{claim.id}-percent": percent, f"{claim.id}-relative": 0.6}
    return {}


def interval(task: Task) -> str:
    """A sentence with an interval around one number of the results, and with the error beside an accuracy."""
    gold = task.gold.get(DEFAULT, {})
    values = {metric.path: centre(gold[metric.name]) for metric in task.assay.metrics if metric.name in gold}
    path, value = next(((path, value) for path, value in values.items() if 0.01 < value < 100), ("", 0.0))
    if not path:
        return ""
    error = f", an error of {1 - value:.4f}" if "accuracy" in path and value < 1 else ""
    return f" For {path} we found {value:.4f}{error} (95% CI {value * 0.97:.4f} to {value * 1.03:.4f})."


def in_words(value: Any) -> Any:
    """A whole number as a word, where a short one exists."""
    return WORDS.get(value, value) if isinstance(value, int) and not isinstance(value, bool) else value


def as_table(levels: Any, number: int) -> Any:
    """Levels with a description for each, or under their own key."""
    if not isinstance(levels, list) or len(levels) < 2:
        return levels
    if number % 2 or not all(isinstance(level, str) for level in levels):
        return {"description": "what is varied", "levels": levels}
    return {level: f"the setting called {level}" for level in levels}


async def act(hands: Hands) -> None:
    """Hand in the right run with errors, notes and intervals beside the claims, and a design in words."""
    await hands.hand_in_gold()
    task = hands.task
    design = json.loads(task.gold_files["design.json"])
    design["constant"] = {name: in_words(value) for name, value in design["constant"].items()}
    design["independent"] = {
        name: as_table(levels, number) for number, (name, levels) in enumerate(design["independent"].items())
    }
    await hands.write("design.json", as_json(design))
    conclusion = json.loads(task.gold_files["conclusion.json"])
    for claim in task.conclusion.claim if task.conclusion else []:
        if claim.id in conclusion["claims"]:
            conclusion["claims"] |= further_entries(claim, conclusion["claims"][claim.id])
    conclusion["summary"] = conclusion.get("summary", "") + interval(task) + CHANCE
    await hands.write("conclusion.json", as_json(conclusion))
