"""Reading the statements, and writing the proofs."""

import json
from pathlib import Path

GIVEN = json.loads(Path("/inputs/lean-statements/statements.json").read_text())
STATEMENTS = {each["name"]: each for each in GIVEN["statements"]}
"""Name → `lean` (the theorem up to its `:=`), `statement` and `proof` (both in natural language)."""


def save(proofs):
    """proofs.json: name → what stands after `:= by`; a statement without a proof is left out."""
    Path("proofs.json").write_text(json.dumps(proofs, ensure_ascii=False, indent=1))
