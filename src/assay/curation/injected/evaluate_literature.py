"""Scores answers.json: the share of claims with the right passage and verdict. Writes report.json."""

import json
from pathlib import Path
from typing import Any, Dict

MOST_BYTES = 200_000


def verdict(met: bool, evidence: str) -> Dict[str, Any]:
    """A rule as grading reads it."""
    return {"met": met, "evidence": evidence}


def read_answers() -> Dict[str, Any]:
    """Return claim → answer, or raise ValueError."""
    data = Path("artefacts/answers.json").read_bytes()
    if len(data) > MOST_BYTES:
        raise ValueError("answers.json has more than %d bytes" % MOST_BYTES)
    answers = json.loads(data)
    if not isinstance(answers, dict):
        raise ValueError("answers.json is no object")
    return answers


def evaluate(truth: Dict[str, Any]) -> Dict[str, Any]:
    """Compare the answers with the truth, claim by claim."""
    try:
        answers = read_answers()
    except (OSError, ValueError, RecursionError) as problem:
        return {"score": None, "standard_error": None, "rules": {"form": verdict(False, str(problem)[:200])}}
    right = 0
    for claim, answer in truth.items():
        given = answers.get(claim)
        if isinstance(given, dict):
            right += all(given.get(key) == answer[key] for key in ("passage", "verdict"))
    share = right / len(truth)
    error = (share * (1 - share) / len(truth)) ** 0.5
    return {
        "score": share,
        "standard_error": error,
        "rules": {"form": verdict(True, "%d answers to %d claims" % (len(answers), len(truth)))},
    }


if __name__ == "__main__":
    claims = json.loads((Path(__file__).parent / "truth.json").read_text())
    Path("report.json").write_text(json.dumps(evaluate(claims), indent=2) + "\n")
