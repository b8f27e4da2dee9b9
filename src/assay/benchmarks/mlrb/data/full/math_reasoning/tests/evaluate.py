"""Proofs in Lean 3 that the model writes for held theorems: what Lean accepts counts, BLEU and ROUGE-L are told.

Where there is no Lean 3 this program breaks off, on the control too, so that the grade is unknown and not zero.
"""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import formalisation, lean, report
from trusted.contract import Limits
from trusted.models import load_model

LIMITS = Limits(parameters=8_000_000_000, file_bytes=33_000_000_000)
THEOREMS = 200


def main() -> None:
    found = lean.find_lean(3)
    rows = formalisation.read_rows(Path("/held/proofs-held"), THEOREMS)
    written: list[str] = []

    def score() -> formalisation.Estimate:
        model = load_model(report.MODEL, LIMITS, dtype="")
        written[:] = [formalisation.write_proof(model, row) for row in rows]
        return formalisation.evaluate(found, rows, written)

    report.judge(
        {
            "contract": report.contract_of(LIMITS),
            "no-held-proofs": report.clean_of([row.proof for row in rows]),
        },
        {},
        score,
        lambda: f"Lean {found.version}; {formalisation.overlaps(rows, written)}",
    )


if __name__ == "__main__":
    main()
