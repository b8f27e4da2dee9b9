"""Scores the answers of a challenge: every answer is checked, nothing in it is believed.

Run in a folder with submission/ and artefacts/; writes report.json there. Whatever the answers are, the report is
written: a rule that could not be tried is unmet and says so. The truth was drawn at grading by draw.py.
"""

import json
import math
import os
import sys
import zlib
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))
from measure import scores  # noqa: E402

ANSWER_BYTES = 8_000_000
CODE_BYTES, PACKED_BYTES = 200_000, 20_000
"""Of all Python files together, as they are and as zlib packs them: code packs well, tables of numbers do not."""
UNTRIED = "could not be tried, because an earlier rule is not met"


def verdict(holds, evidence):
    """One rule of the report."""
    return {"met": holds, "evidence": evidence}


def check_code():
    """Whether the submission is code and not a table of numbers; names of files are bytes like others."""
    code = b""
    for path in sorted(Path("submission").rglob("*.py")):
        if not path.is_symlink() and path.is_file() and len(code) <= CODE_BYTES:
            code += os.fsencode(path.relative_to("submission")) + b"\n" + path.read_bytes()
    packed = len(zlib.compress(code, 9))
    holds = len(code) <= CODE_BYTES and packed <= PACKED_BYTES
    return verdict(holds, f"{len(code)} bytes of Python, {packed} as zlib packs them, of {PACKED_BYTES} allowed")


def read_answers():
    """The answers, as JSON without infinite numbers."""
    path = Path("artefacts/answers.json")
    if path.is_symlink() or not path.is_file():
        raise ValueError("answers.json is not there as a plain file")
    if path.stat().st_size > ANSWER_BYTES:
        raise ValueError(f"answers.json has {path.stat().st_size} bytes, at most {ANSWER_BYTES} are allowed")

    def refuse(name):
        raise ValueError(f"answers.json contains {name}, expected finite numbers")

    try:
        return json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse)
    except RecursionError:
        raise ValueError("answers.json is nested too deep") from None


def evaluate(truth):
    """The report."""
    rules = {"code-size": check_code(), "answers": verdict(False, UNTRIED)}
    score, error = None, 0.0
    try:
        if rules["code-size"]["met"]:
            values = scores(read_answers(), truth)
            score = math.fsum(values) / len(values)
            spread = math.fsum((value - score) ** 2 for value in values) / (len(values) - 1)
            error = math.sqrt(spread / len(values))
            rules["answers"] = verdict(True, f"{len(values)} answers, {score:.4f} ± {error:.4f}")
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as problem:
        score, rules["answers"] = None, verdict(False, f"{type(problem).__name__}: {str(problem)[:300]}")
    return {"score": score, "standard_error": error, "rules": rules}


if __name__ == "__main__":
    truth = json.loads((Path(__file__).parent / "truth.json").read_text())
    Path("report.json").write_text(json.dumps(evaluate(truth), indent=2) + "\n")
