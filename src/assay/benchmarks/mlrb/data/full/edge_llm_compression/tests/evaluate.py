"""MMLU of a compressed phi-2: within the memory, not trained, not quantised, or there is no score."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import memory, mmlu, provenance, quantisation, report
from trusted.contract import Limits
from trusted.models import load_model
from trusted.weights import Weights

MEMORY_MIB = 4096
"""Binding: phi-2 as it is takes 5.2 GiB in FP16. MLRB's own limit is 12 GB, which it keeps untouched."""
LIMITS = Limits(parameters=2_800_000_000, file_bytes=12_000_000_000, dtypes=("F16", "F32"))


def main() -> None:
    held = mmlu.find(Path("/held/mmlu"))
    base = Weights(Path("/inputs/phi-2"), "phi-2")

    def mine() -> Weights:
        return Weights(report.MODEL / "model.safetensors")

    report.judge(
        {
            "code": report.code_only,
            "contract": report.contract_of(LIMITS),
            "tokenizer": report.tokenizer_of(Path("/inputs/phi-2")),
        },
        {
            "memory": lambda: memory.check(report.MODEL, MEMORY_MIB),
            "no-quantisation": lambda: quantisation.check(mine(), [base]),
            "no-training": lambda: provenance.check(mine(), [base]),
        },
        lambda: mmlu.evaluate(load_model(report.MODEL, LIMITS, dtype=""), held, "letter"),
    )


if __name__ == "__main__":
    main()
