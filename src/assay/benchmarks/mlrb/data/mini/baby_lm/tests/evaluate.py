"""Pairs of sentences, enciphered, for a model that was trained from scratch on enciphered texts."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import blimp, report
from trusted.contract import Limits
from trusted.models import load_model

PLAIN, HELD = Path("/held/pairs-held"), Path(__file__).parent / "enciphered" / "pairs-held"
LIMITS = Limits(parameters=5_000_000, file_bytes=25_000_000)


def main() -> None:
    pairs = [pair for paradigm in blimp.read_pairs(PLAIN).values() for pair in paradigm]
    report.judge(
        {
            "code": report.code_only,
            "clean": report.clean_of(each for pair in pairs for each in pair.answers),
            "contract": report.contract_of(LIMITS),
            "tokenizer": report.tokenizer_of(Path("/inputs/tokenizer")),
        },
        {},
        lambda: blimp.evaluate_equally(load_model(report.MODEL, LIMITS), HELD),
    )


if __name__ == "__main__":
    main()
