"""Bits per byte of held solutions given their problems: tuned from the given model, or there is no score."""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import contract, estimates, quantisation, relations, report
from trusted.contract import Limits
from trusted.headers import read_header
from trusted.models import load_model
from trusted.verdicts import Rule, met, unmet
from trusted.weights import Weights

BASE = Path("/inputs/smollm2-135m")
LIKE = 0.9
"""Cosine that each matrix keeps with the given one: minutes of training move it far less."""


def held() -> list[dict[str, str]]:
    return [json.loads(line) for line in Path("/held/gsm8k-held/held.jsonl").read_text("utf-8").splitlines()]


def score(limits: Limits) -> estimates.Estimate:
    items = held()
    pairs = [(f"Question: {each['question']}\nAnswer:", f" {each['answer']}") for each in items]
    found = load_model(report.MODEL, limits).loglikelihoods(pairs)
    sizes = [float(len(after.encode())) for _, after in pairs]
    return estimates.ratio([(-nats / math.log(2), size) for nats, size in zip(found, sizes, strict=True)])


def clean() -> Rule:
    """No text of the held problems, and none of MMLU's test set, which the original challenge scores."""
    solved = [f"{each['question']} {each['answer']}" for each in held()]
    asked = json.loads(Path("/held/mmlu-texts/questions.json").read_text())
    return report.clean_of([*solved, *asked])()


def tuned() -> Rule:
    """The given model's architecture, and weights that are still near its own."""
    if contract.read_config(report.MODEL) != contract.read_config(BASE):
        return unmet("config.json does not describe the given model")
    mine, given = (Weights(each / "model.safetensors") for each in (report.MODEL, BASE))
    if {key: each.shape for key, each in mine.tensors.items()} != {key: given.tensors[key].shape for key in given}:
        return unmet("its tensors are not those of the given model")
    likeness = {key: relations.likeness(mine[key], given[key]) for key in given if len(given.tensors[key].shape) > 1}
    least = min(likeness, key=lambda key: likeness[key])
    said = f"least like the given model is {least}, cosine {likeness[least]:.4f} (at least {LIKE})"
    return met(said) if likeness[least] >= LIKE else unmet(said)


def main() -> None:
    size = sum(each.size for each in read_header(BASE / "model.safetensors").values())
    limits = Limits(parameters=size, file_bytes=300_000_000, dtypes=("F16", "BF16"))
    base = Weights(BASE / "model.safetensors", "smollm2-135m")
    report.judge(
        {
            "code": report.code_only,
            "clean": clean,
            "contract": report.contract_of(limits),
            "tokenizer": report.tokenizer_of(BASE),
            "base": tuned,
        },
        {"unquantised": lambda: quantisation.check_tuned(Weights(report.MODEL / "model.safetensors"), base)},
        lambda: score(limits),
    )


if __name__ == "__main__":
    main()
