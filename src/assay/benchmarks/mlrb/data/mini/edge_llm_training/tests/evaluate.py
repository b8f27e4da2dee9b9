"""Bits per byte of a model that was trained from scratch under limits on parameters and memory."""

import json
import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import estimates, memory, perplexity, quantisation, report
from trusted.contract import Limits
from trusted.models import load_model
from trusted.weights import Weights

PLAIN, HELD = Path("/held"), Path(__file__).parent / "enciphered"
LIMITS = Limits(parameters=250_000, file_bytes=4_000_000)
MEMORY_MIB = 64


def score(texts: dict[str, list[str]]) -> estimates.Estimate:
    model = load_model(report.MODEL, LIMITS)
    return estimates.average({name: perplexity.evaluate(model, pieces) for name, pieces in texts.items()})


def main() -> None:
    plain, texts = (json.loads((folder / "texts-held" / "texts.json").read_text()) for folder in (PLAIN, HELD))
    items = [piece for pieces in plain.values() for piece in pieces]
    report.judge(
        {
            "code": report.code_only,
            "clean": report.clean_of(items),
            "contract": report.contract_of(LIMITS),
            "tokenizer": report.tokenizer_of(Path("/inputs/tokenizer")),
        },
        {
            "unquantised": lambda: quantisation.check(Weights(report.MODEL / "model.safetensors"), []),
            "memory": lambda: memory.check(report.MODEL, MEMORY_MIB, tokens=512),
        },
        lambda: score(texts),
    )


if __name__ == "__main__":
    main()
