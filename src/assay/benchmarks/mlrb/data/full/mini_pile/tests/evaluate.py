"""SuperGLUE of a model pretrained on MiniPile alone, or there is no score."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import report, superglue
from trusted.contract import Limits
from trusted.models import load_model

HELD = Path("/held/superglue")
LIMITS = Limits(parameters=3_000_000_000, file_bytes=13_000_000_000)


def main() -> None:
    report.judge(
        {
            "code": report.code_only,
            "contract": report.contract_of(LIMITS),
            "no-superglue": report.clean_of(superglue.texts(HELD)),
        },
        {},
        lambda: superglue.evaluate_all(load_model(report.MODEL, LIMITS), HELD),
    )


if __name__ == "__main__":
    main()
