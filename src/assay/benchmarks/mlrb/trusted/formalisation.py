"""Proofs in words turned into Lean 3: what is asked of the model, and what becomes of its answer.

A row has `name`, `informal_statement`, `informal_proof` and `formal_proof`, a theorem with a `begin … end`
block. The statement is the harness's own; of the model only what stands between `begin` and `end` is taken,
so that a proof of something easier earns nothing.
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
class Row:
    """A theorem in words and in Lean."""

    words: str
    statement: Statement
    proof: str
    header: tuple[str, ...]

    @property
    def prompt(self) -> str:
        """What the model goes on from, up to `end` on a line of its own."""
        return f"/- {self.words} -/\n{self.statement.text} :=\nbegin\n"


def read_row(given: dict[str, str]) -> Row | None:
    """A row whose formal part is one theorem with a block; None for others."""
    formal = given["formal_proof"].strip()
    found = THEOREM.search(formal)
    if found is None or len(re.findall(r"^(?:theorem|lemma)\s", formal, re.MULTILINE)) != 1:
        return None
    name, rest, proof = found.groups()
    words = f"{given['informal_statement']}\n\n{given['informal_proof']}"
    header = tuple(HEADER.findall(formal[: found.start()]))
    return Row(words, Statement(name, f"theorem {name}{rest.rstrip()}"), proof.strip("\n"), header)


def read_rows(folder: Path, most: int | None = None) -> list[Row]:
    """The rows of every `*.jsonl` of a folder, or a fixed sample of so many."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    rows = [read_row(json.loads(line)) for line in lines if line.strip()]
    usable = [row for row in rows if row is not None]
    if not usable:
        raise FileNotFoundError(f"no theorems in {folder}")
    return sample(usable, most, "formalisation")


def write_proof(model: Model, row: Row) -> str:
    """What the model puts between `begin` and `end`, greedily."""
    return model.generate(row.prompt, PROOF_TOKENS, stop="\nend")


def evaluate(lean: Lean, rows: Sequence[Row], proofs: Sequence[str]) -> Estimate:
    """The share of theorems whose proof Lean accepts; a plain error."""
    header = "\n".join(sorted({line for row in rows for line in row.header}, key=_order))
    pairs = [(row.statement, proof) for row, proof in zip(rows, proofs, strict=True)]
    return mean_of([float(each.holds) for each in prove(lean, pairs, header)])


def _order(line: str) -> tuple[bool, str]:
    """Imports stand first in a file."""
    return not line.startswith("import"), line


def overlaps(rows: Sequence[Row], proofs: Sequence[str]) -> str:
    """BLEU and ROUGE-L with the proofs that people wrote: likeness, which proves nothing."""
    wanted = [row.proof for row in rows]
    rouge = mean_of([rouge_l(made, proof) for made, proof in zip(proofs, wanted, strict=True)])
    return f"BLEU {bleu(list(proofs), wanted):.2f}, ROUGE-L {rouge}"
