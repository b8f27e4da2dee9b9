"""Bits per byte of a pruned SmolLM2: pruned, and nothing else, or there is no score."""

import json
import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import estimates, memory, perplexity, provenance, quantisation, report
from trusted.contract import Limits
from trusted.headers import read_header
from trusted.models import load_model
from trusted.weights import Weights

BASE = Path("/inputs/smollm2-135m")
SHARE = 0.85
MEMORY_MIB, TOKENS = 358, 2
"""Most of it are the weights; more tokens take minutes where a processor has no arithmetic in FP16."""
PIECES = 3
"""Of each domain: a large model takes its time."""


def score(limits: Limits) -> estimates.Estimate:
    texts = json.loads(Path("/held/texts-held/texts.json").read_text())
    model = load_model(report.MODEL, limits)
    return estimates.average({name: perplexity.evaluate(model, each[:PIECES]) for name, each in texts.items()})


def main() -> None:
    whole = sum(each.size for each in read_header(BASE / "model.safetensors").values())
    limits = Limits(parameters=int(SHARE * whole), file_bytes=600_000_000, dtypes=("F16", "F32"))
    base = Weights(BASE / "model.safetensors", "smollm2-135m")

    def made() -> Weights:
        return Weights(report.MODEL / "model.safetensors")

    report.judge(
        {
            "code": report.code_only,
            "contract": report.contract_of(limits),
            "tokenizer": report.tokenizer_of(BASE),
        },
        {
            "untrained": lambda: provenance.check(made(), [base]),
            "unquantised": lambda: quantisation.check(made(), [base]),
            "memory": lambda: memory.check(report.MODEL, MEMORY_MIB, TOKENS),
        },
        lambda: score(limits),
    )


if __name__ == "__main__":
    main()
