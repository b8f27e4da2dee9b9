"""BLiMP of a model trained from scratch on the given words alone, or there is no score."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import blimp, report
from trusted.contract import Limits
from trusted.models import load_model

LIMITS = Limits(parameters=3_000_000_000, file_bytes=13_000_000_000)


def main() -> None:
    held = next(iter(sorted(Path("/held/blimp").rglob("*.jsonl")))).parent
    items = [pair.answers[0] for pairs in blimp.read_pairs(held).values() for pair in pairs]
    report.judge(
        {
            "code": report.code_only,
            "contract": report.contract_of(LIMITS),
            "no-blimp": report.clean_of(items),
        },
        {},
        lambda: blimp.evaluate(load_model(report.MODEL, LIMITS), held),
    )


if __name__ == "__main__":
    main()
