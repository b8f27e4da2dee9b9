"""Proofs in words, formalised in Lean 3: the prompt for the model, and the score of its answer.

A row has `name`, `informal_statement`, `informal_proof` and `formal_proof`, a theorem with a `begin … end`
block. The statement comes from the harness, and only the text between `begin` and `end` from the model,
so that a proof of something easier scores nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .choices import sample
from .estimates import Estimate, mean_of
from .lean import Lean, prove
from .lean_source import Statement
from .overlap import bleu, rouge_l

if TYPE_CHECKING:
    from .models import Model

THEOREM = re.compile(r"^(?:theorem|lemma)\s+(\S+)(.*?):=\s*begin\b(.*)\bend\s*$", re.MULTILINE | re.DOTALL)
HEADER = re.compile(r"^(?:import|open|open_locale|noncomputable theory)\b.*$", re.MULTILINE)
PROOF_TOKENS = 512


@dataclass(frozen=True)
class TheoremRow:
    """A theorem in words and in Lean."""

    words: str
    statement: Statement
    proof: str
    header: tuple[str, ...]

    @property
    def prompt(self) -> str:
        """The text that the model continues, up to `end` on its own line."""
        return f"/- {self.words} -/\n{self.statement.text} :=\nbegin\n"


def read_row(record: dict[str, str]) -> TheoremRow | None:
    """Read a row whose formal part is one theorem with a block; return None for others."""
    formal = record["formal_proof"].strip()
    match = THEOREM.search(formal)
    if match is None or len(re.findall(r"^(?:theorem|lemma)\s", formal, re.MULTILINE)) != 1:
        return None
    name, signature, proof = match.groups()
    words = f"{record['informal_statement']}\n\n{record['informal_proof']}"
    header = tuple(HEADER.findall(formal[: match.start()]))
    return TheoremRow(
        words, Statement(name, f"theorem {name}{signature.rstrip()}"), proof.strip("\n"), header
    )


def read_rows(folder: Path, most: int | None = None) -> list[TheoremRow]:
    """Read the rows of every `*.jsonl` of a folder, or a fixed sample of `most` rows."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    rows = [read_row(json.loads(line)) for line in lines if line.strip()]
    usable = [row for row in rows if row is not None]
    if not usable:
        raise FileNotFoundError(f"no theorems in {folder}")
    return sample(usable, most, "formalisation")


def write_proof(model: Model, row: TheoremRow) -> str:
    """Return what the model writes between `begin` and `end`, greedily."""
    return model.generate(row.prompt, PROOF_TOKENS, stop="\nend")


def evaluate(lean: Lean, rows: Sequence[TheoremRow], proofs: Sequence[str]) -> Estimate:
    """Return the share of theorems whose proof Lean accepts, with a plain error."""
    header = "\n".join(sorted({line for row in rows for line in row.header}, key=_order))
    pairs = [(row.statement, proof) for row, proof in zip(rows, proofs, strict=True)]
    return mean_of([float(proved.holds) for proved in prove(lean, pairs, header)])


def _order(line: str) -> tuple[bool, str]:
    """Sort imports first, as a file needs them."""
    return not line.startswith("import"), line


def overlaps(rows: Sequence[TheoremRow], proofs: Sequence[str]) -> str:
    """Return BLEU and ROUGE-L against proofs that people wrote: similarity, which proves nothing."""
    references = [row.proof for row in rows]
    rouge = mean_of([rouge_l(proof, reference) for proof, reference in zip(proofs, references, strict=True)])
    return f"BLEU {bleu(list(proofs), references):.2f}, ROUGE-L {rouge}"
