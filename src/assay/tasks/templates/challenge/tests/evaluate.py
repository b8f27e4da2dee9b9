"""Reads the submitted coefficients, which are data and never code, and scores them on the hidden points."""

import json
import math
from pathlib import Path

LIMIT = 4


def read_model() -> tuple[list[float], str]:
    """The coefficients, or nothing and what is wrong with them."""
    try:
        model = json.loads(Path("artefacts/model.json").read_bytes())
        numbers = [float(value) for value in model]
    except (OSError, ValueError, TypeError, OverflowError, RecursionError) as error:
        return [], f"model.json is not a list of numbers: {type(error).__name__}"
    if not all(math.isfinite(value) and abs(value) < 1e9 for value in numbers):
        return [], "a coefficient is not a finite number below 1e9"
    return numbers, f"{len(numbers)} coefficients, at most {LIMIT}"


model, evidence = read_model()
valid = 0 < len(model) <= LIMIT
score = None
if valid:
    points = json.loads(Path(__file__).with_name("hidden.json").read_text())
    errors = [(sum(c * x**power for power, c in enumerate(model)) - y) ** 2 for x, y in points]
    score = sum(errors) / len(errors)
report = {
    "score": score,
    "standard_error": 0.0,
    "rules": {"coefficients": {"met": valid, "evidence": evidence}},
}
Path("report.json").write_text(json.dumps(report))
