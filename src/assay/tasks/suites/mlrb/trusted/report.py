"""One evaluation: every rule its own verdict, a score only where all of them hold, all in report.json."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from . import contamination, contract, own_data
from .estimates import Estimate
from .verdicts import Refused, Rule, met, unmet, verdict

SUBMISSION, ARTEFACTS, MODEL = Path("submission"), Path("artefacts"), Path("artefacts/model")
Check = Callable[[], Rule]


def judge(first: Mapping[str, Check], others: Mapping[str, Check], score: Callable[[], Estimate]) -> None:
    """Rules that need no model, then, where they hold, those that read it, then the score."""
    rules = {name: _checked(check) for name, check in first.items()}
    estimate = None
    if _all_met(rules):
        rules |= {name: _checked(check) for name, check in others.items()}
    if _all_met(rules):
        try:
            estimate = score()
            rules["runs"] = met(f"evaluated: {estimate}")
        except Refused as error:
            rules["runs"] = unmet(str(error))
    found = {
        "score": estimate.score if estimate else None,
        "standard_error": estimate.standard_error if estimate else None,
        "rules": rules,
    }
    Path("report.json").write_text(json.dumps(found))


def _all_met(rules: Mapping[str, Rule]) -> bool:
    return all(rule["met"] for rule in rules.values())


def _checked(check: Check) -> Rule:
    try:
        return check()
    except Refused as error:
        return unmet(str(error))


def code_only() -> Rule:
    """Whether the submission brings code and no data."""
    return own_data.check(_submitted())


def clean(wanted: contamination.Index) -> Rule:
    """Whether no evaluation text stands in the submission."""
    texts = {name: data.decode("utf-8", errors="replace") for name, data in _submitted().items()}
    return contamination.check(texts, wanted)


def _submitted() -> dict[str, bytes]:
    return {str(path.relative_to(SUBMISSION)): path.read_bytes()
            for path in SUBMISSION.rglob("*") if path.is_file()}  # fmt: skip


def contract_of(limits: contract.Limits) -> Check:
    """The contract of the model folder."""
    return lambda: contract.check(MODEL, limits)


def tokenizer_of(folder: Path) -> Check:
    """Whether the model's tokenizer is the given one, byte by byte."""

    def check() -> Rule:
        made, given = (hashlib.sha256((each / "tokenizer.json").read_bytes()).hexdigest()
                       for each in (MODEL, folder))  # fmt: skip
        return verdict(made == given, f"tokenizer.json is {made[:12]}, given was {given[:12]}")

    return check
