"""Lean files of given statements and handed-in proofs: the harness writes the statement, the proof is only
a proof.

A proof is text for the place after `:= by`. Comments are taken out of what Lean gets to see, so that what is
checked and what is compiled are the same. Then every word that could end the proof, open another command,
change the grammar, run code or trust anything but the kernel is refused. What slips through must still pass
`#print axioms`, where this Lean has it.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

WORD = re.compile(r"#?[^\W\d][\w'!?]*")
UNTRUE = """
sorry sorryAx admit axiom axioms native_decide native ofReduceBool ofReduceNat reduceBool reduceNat
trustCompiler lcProof lcUnreachable lcAny unsafe unsafeCast implemented_by extern csimp skipKernelTC stop
bv_decide bv_check
"""
COMMANDS = """
theorem lemma def abbrev example instance class structure inductive coinductive constant constants opaque
mutual end namespace section open export import prelude universe universes variable variables include omit
attribute private protected noncomputable partial nonrec meta public deriving where termination_by
decreasing_by set_option initialize builtin_initialize local scoped alias add_decl_doc compile_inductive
irreducible_def
"""
GRAMMAR = """
macro macro_rules syntax declare_syntax_cat notation notation3 infix infixl infixr prefix postfix elab
elab_rules by_elab run_cmd run_elab run_meta run_tac run_conv eval evalTactic simproc dsimproc Lean Elab
Meta IO unquote dbg_trace include_str decl_name user_attribute run_parser tactic
"""
REFUSED = {*UNTRUE.split(), *COMMANDS.split(), *GRAMMAR.split()}
BRACKETS = {")": "(", "]": "[", "}": "{", "⟩": "⟨", "⟧": "⟦"}
LONGEST = 20_000


@dataclass(frozen=True)
class Statement:
    """A theorem to prove: its name, and all of it before `:=`, as the truth has it."""

    name: str
    text: str

    @classmethod
    def read(cls, source: str) -> Statement:
        """From a text that ends in `:= by sorry` or `:= sorry`; imports and options are passed over."""
        begin = re.search(r"^theorem\s+(\S+)", source, re.MULTILINE)
        if begin is None or "sorry" not in source:
            raise ValueError(f"no theorem that ends in sorry in {source[:60]!r}")
        text = re.sub(r":=\s*(by\s+)?sorry\s*$", "", source[begin.start() :].rstrip())
        return cls(begin.group(1), text.rstrip())


def strip_comments(text: str) -> str:
    """A text without its comments; block comments nest, and an unclosed one reaches to the end."""
    kept, depth, at = [], 0, 0
    while at < len(text):
        two = text[at : at + 2]
        if two == "/-":
            depth, at = depth + 1, at + 2
        elif two == "-/" and depth:
            depth, at = depth - 1, at + 2
        elif two == "--" and not depth:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            if not depth or text[at] == "\n":
                kept.append(text[at])
            at += 1
    return "".join(kept)


def refusal(proof: str) -> str | None:
    """Why a proof, its comments taken out, is not compiled; None if it may be."""
    if len(proof) > LONGEST:
        return f"{len(proof)} characters, at most {LONGEST} may be"
    if not proof.strip():
        return "empty"
    for sign in ('"', "«", "»", "`", "@[", "\r", "\t", "#", "\\u"):
        if sign in proof:
            return f"holds {sign!r}"
    for word in WORD.findall(proof):
        if word in REFUSED:
            return f"holds the word {word!r}"
    stack: list[str] = []
    for sign in proof:
        if sign in BRACKETS.values():
            stack.append(sign)
        elif sign in BRACKETS and (not stack or stack.pop() != BRACKETS[sign]):
            return f"closes {sign!r} that it did not open"
    return f"does not close {stack[-1]!r}" if stack else None


@dataclass(frozen=True)
class Place:
    """Where a statement with its proof stands in the file, and the line that asks after it."""

    first: int
    printed: int


def write(
    pairs: list[tuple[Statement, str]], preamble: str, lean3: bool = False, ask: str = "#print axioms"
) -> tuple[str, list[Place]]:
    """One file of many statements with proofs that were not refused, each asked after; lines count from 1."""
    lines = preamble.rstrip().split("\n") if preamble.strip() else []
    places = []
    for number, (statement, proof) in enumerate(pairs):
        first = len(lines) + 1
        name = f"assay_{number}"
        text = re.sub(rf"^theorem\s+{re.escape(statement.name)}", f"theorem {name}", statement.text, count=1)
        lines += f"{text} :={'' if lean3 else ' by'}".split("\n")
        body = textwrap.indent(textwrap.dedent(proof.strip("\n")), "  ").split("\n")
        lines += ["begin", *body, "end"] if lean3 else body
        lines.append("")
        lines.append(f"{ask} {name}")
        places.append(Place(first, len(lines)))
    return "\n".join(lines) + "\n", places
