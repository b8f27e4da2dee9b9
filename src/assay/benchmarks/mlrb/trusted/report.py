"""One evaluation: every rule its own verdict, a score only where all of them hold, all in report.json."""

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
    first: Mapping[str, Check],
    others: Mapping[str, Check],
    score: Callable[[], Estimate],
    beside: Callable[[], str] = lambda: "",
) -> None:
    """Rules that need no model, then, where they hold, those that read it, then the score.

    `beside` tells in words what was measured too and does not count.
    """
    rules = {name: _checked(check) for name, check in first.items()}
    estimate = None
    if _all_met(rules):
        rules |= {name: _checked(check) for name, check in others.items()}
    if _all_met(rules):
        try:
            estimate = score()
            told = beside()
            rules["runs"] = met(f"evaluated: {estimate}{'; ' if told else ''}{told}")
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
    return own_data.check(submitted())


def clean_of(items: Iterable[str]) -> Check:
    """Whether no evaluation item stands in what was handed in."""

    def check() -> Rule:
        from . import contamination  # numpy is not in every challenge's environment

        texts = {name: data.decode("utf-8", errors="replace") for name, data in submitted().items()}
        return contamination.check(texts, contamination.index(items))

    return check


def submitted() -> dict[str, bytes]:
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


def plain_tensors() -> Rule:
    """Whether the weights are floating-point tensors and nothing else: no code, no hidden bytes."""
    tensors = read_header(ARTEFACTS / "model.safetensors")
    others = {tensor.dtype for tensor in tensors.values()} - set(contract.Limits().dtypes)
    parameters = sum(tensor.size for tensor in tensors.values())
    what = f", with {', '.join(sorted(others))} among them" if others else ""
    return verdict(not others, f"{parameters} parameters in {len(tensors)} tensors{what}")
