"""MMLU of a fine-tuned model: from an approved base, without MMLU's own questions, or there is no score."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import lineage, mmlu, report
from trusted.contract import Limits
from trusted.models import load_model
from trusted.weights import Weights

BASES = ("mistral-7b", "llama-2-7b")
LIMITS = Limits(parameters=8_000_000_000, file_bytes=33_000_000_000)


def main() -> None:
    held = mmlu.find(Path("/held/mmlu"))
    bases = [Weights(Path("/inputs") / name, name) for name in BASES]
    report.judge(
        {"contract": report.contract_of(LIMITS), "no-mmlu": report.clean_of(mmlu.texts(held))},
        {"approved-base": lambda: lineage.check(Weights(report.MODEL / "model.safetensors"), bases)},
        lambda: mmlu.evaluate(load_model(report.MODEL, LIMITS, dtype=""), held, "letter"),
    )


if __name__ == "__main__":
    main()
