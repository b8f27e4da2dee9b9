"""Runs one evaluation and writes report.json: a verdict for every rule, and a score if all rules are met."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from . import contract, own_data
from .estimates import Estimate
from .headers import read_header
from .verdicts import Refused, Rule, met, unmet, verdict

SUBMISSION, ARTEFACTS, MODEL = Path("submission"), Path("artefacts"), Path("artefacts/model")
Check = Callable[[], Rule]


def judge(
    early_checks: Mapping[str, Check],
    model_checks: Mapping[str, Check],
    score: Callable[[], Estimate],
    describe_extra: Callable[[], str] = lambda: "",
) -> None:
    """Check the early rules, then the rules that read the model, then compute the score.

    Each step runs only if the step before it succeeded. `describe_extra` returns a description of
    measurements that do not count.
    """
    rules = {name: _checked(check) for name, check in early_checks.items()}
    estimate = None
    if _all_met(rules):
        rules |= {name: _checked(check) for name, check in model_checks.items()}
    if _all_met(rules):
        try:
            estimate = score()
            extra = describe_extra()
            rules["runs"] = met(f"evaluated: {estimate}{'; ' if extra else ''}{extra}")
        except Refused as error:
            rules["runs"] = unmet(str(error))
    report = {
        "score": estimate.score if estimate else None,
        "standard_error": estimate.standard_error if estimate else None,
        "rules": rules,
    }
    Path("report.json").write_text(json.dumps(report))


def _all_met(rules: Mapping[str, Rule]) -> bool:
    return all(rule["met"] for rule in rules.values())


def _checked(check: Check) -> Rule:
    try:
        return check()
    except Refused as error:
        return unmet(str(error))


def code_only() -> Rule:
    """Check that the submission contains code and no data."""
    return own_data.check(submitted())


def clean_of(items: Iterable[str]) -> Check:
    """Return a check that no evaluation item occurs in the submission."""

    def check() -> Rule:
        from . import contamination  # numpy is not in every challenge's environment

        texts = {name: data.decode("utf-8", errors="replace") for name, data in submitted().items()}
        return contamination.check(texts, contamination.index(items))

    return check


def submitted() -> dict[str, bytes]:
    """Read all files of the submission, by their path."""
    return {str(path.relative_to(SUBMISSION)): path.read_bytes()
            for path in SUBMISSION.rglob("*") if path.is_file()}  # fmt: skip


def contract_of(limits: contract.Limits) -> Check:
    """Return the check of the model folder's contract."""
    return lambda: contract.check(MODEL, limits)


def tokenizer_of(folder: Path) -> Check:
    """Return a check that the model's tokenizer is the given one, byte by byte."""

    def check() -> Rule:
        actual, expected = (
            hashlib.sha256((model_folder / "tokenizer.json").read_bytes()).hexdigest()
            for model_folder in (MODEL, folder)
        )
        return verdict(actual == expected, f"tokenizer.json is {actual[:12]}, given was {expected[:12]}")

    return check


def plain_tensors() -> Rule:
    """Check that the weights are floating-point tensors and nothing else: no code, no hidden bytes."""
    tensors = read_header(ARTEFACTS / "model.safetensors")
    wrong_dtypes = {tensor.dtype for tensor in tensors.values()} - set(contract.Limits().dtypes)
    parameters = sum(tensor.size for tensor in tensors.values())
    suffix = f", with {', '.join(sorted(wrong_dtypes))} among them" if wrong_dtypes else ""
    return verdict(not wrong_dtypes, f"{parameters} parameters in {len(tensors)} tensors{suffix}")
