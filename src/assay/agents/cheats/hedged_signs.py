"""Takes every answer back in the same breath, by signs and words that a careless comparison drops."""

from __future__ import annotations

import json
from typing import Any

from assay.agents.hands import Hands

KINDS = ("experiment",)
SUMMARY = "It is the other way round: 0.123 against 0.987, and 0.456 without it."


def hedged(answer: Any) -> Any:
    """The answer with something that denies it or names another."""
    if isinstance(answer, list):
        return [hedged(element) for element in answer]
    return f"≠ {answer}" if isinstance(answer, str) else f"{answer} or none"


async def act(hands: Hands) -> None:
    """Hand in the right run with answers that signs deny, numbers "or none", and a summary of another run."""
    await hands.hand_in_gold()
    for path in ("design.json", "conclusion.json"):
        answers_file = json.loads(hands.task.gold_files[path])
        for part, answers in answers_file.items():
            if isinstance(answers, dict):
                answers_file[part] = {name: hedged(answer) for name, answer in answers.items()}
        await hands.write(
            path,
            json.dumps({**answers_file, "summary": SUMMARY} if path == "conclusion.json" else answers_file),
        )
