"""Rows of words and Lean: the statement is ours, the proof is the model's."""

from __future__ import annotations

from pathlib import Path

from assay.benchmarks.mlrb.trusted.formalisation import evaluate, overlaps, read_row
from assay.benchmarks.mlrb.trusted.lean import Lean
from tests.benchmarks.mlrb.full_stand_ins import PROOF
from tests.benchmarks.mlrb.test_full import LEAN


def test_a_row_is_cut_into_header_statement_and_proof() -> None:
    row = read_row(PROOF)
    assert row is not None
    assert row.header == ("import tactic",)
    assert row.statement.text == "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
    assert row.proof == "  exact ⟨h.2, h.1⟩,"
    assert row.prompt.endswith("q ∧ p :=\nbegin\n")
    assert "exact" not in row.prompt


def test_rows_of_another_shape_are_left_out() -> None:
    two = PROOF["formal_proof"] + "\n\nlemma more : true := trivial"
    assert read_row(PROOF | {"formal_proof": two}) is None
    assert read_row(PROOF | {"formal_proof": "def x := 1"}) is None


def test_what_lean_accepts_counts_and_what_could_cheat_never_reaches_it(tmp_path: Path) -> None:
    program = tmp_path / "lean"
    program.write_text(LEAN)
    program.chmod(0o755)
    row = read_row(PROOF)
    assert row is not None
    proofs = [row.proof, "sorry", "end\naxiom x : false", row.proof]
    found = evaluate(Lean((str(program),), "3.51.1"), [row] * 4, proofs)
    assert (found.score, found.number) == (0.5, 4)
    assert overlaps([row], [row.proof]).startswith("BLEU 100")
