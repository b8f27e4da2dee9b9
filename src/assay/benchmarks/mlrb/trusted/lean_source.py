"""Writes Lean files from given statements and submitted proofs: a proof cannot change its statement.

A proof is the text after `:= by`. Comments are removed before Lean sees it, so that the checked text and the
compiled text are the same. Then every word that could end the proof, start another command, change the
grammar, run code or trust anything but the kernel is refused. So is an option of a tactic whose value is a
program, because Lean evaluates such values. The remaining text is put in brackets, and its own brackets
balance, so a command that passes the check cannot be parsed (`lean.prove`).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

FORM = "form"
WORDS = {
    "sorry": "sorry sorryAx admit admitGoal stop",
    "axioms": "axiom axioms constant constants opaque lcProof lcUnreachable lcAny init_quot",
    "kernel": """
        native_decide native ofReduceBool ofReduceNat reduceBool reduceNat trustCompiler unsafe unsafeCast
        implemented_by extern csimp skipKernelTC bv_decide bv_check
    """,
    "commands": """
        theorem lemma def abbrev example instance class structure inductive coinductive mutual end namespace
        section open export import prelude universe universes variable variables include omit attribute
        private protected noncomputable partial nonrec meta public deriving where termination_by decreasing_by
        set_option initialize builtin_initialize local scoped alias add_decl_doc compile_inductive
        irreducible_def seal unseal register_option register_builtin_option register_simp_attr
        register_label_attr grind_pattern unif_hint suppress_compilation unsuppress_compilation
        gen_injective_theorems recommended_spelling tactic_extension register_tactic_tag
        register_error_explanation register_parser_alias
    """,
    "grammar": """
        macro macro_rules syntax declare_syntax_cat notation notation3 infix infixl infixr prefix postfix
        mixfix elab elab_rules by_elab binder_predicate declare_simp_like_tactic declare_config_elab
        declare_command_config_elab run_cmd run_elab run_meta run_tac run_conv eval evalTactic simproc
        dsimproc simproc_decl dsimproc_decl builtin_simproc builtin_dsimproc Lean Elab Meta IO unquote
        dbg_trace include_str decl_name user_attribute run_parser tactic dbgTrace dbgTraceVal dbgTraceIfShared
        dbgStackTrace dbgSleep unsafeIO unsafeBaseIO unsafeEIO unsafePerformIO unsafe_perform_io BaseIO EIO
        Process timeit allocprof evalExpr evalConst withPtrEq ptrAddrUnsafe
    """,
}
"""Rule → the words that break it anywhere in a proof."""
RULE_OF: Mapping[str, str] = {word: rule for rule, words in WORDS.items() for word in words.split()}
# Lean begins a new word where Python's \w may not: after `⁻¹`, or after a number (`0b1axiom` is two words).
WORD = re.compile(r"(?<![A-Za-z_])[A-Za-z_][A-Za-z0-9_'!?]*")
GLUED = re.compile(r"(?<![A-Za-z0-9_'!?])[0-9]+[A-Za-z_]")
BRACKETS = {")": "(", "]": "[", "}": "{", "⟩": "⟨", "⟧": "⟦"}
QUOTED = re.compile(r"'\s*[][(){}⟨⟩⟦⟧]\s*'")
SIGNS = ('"', "«", "»", "`", "@[", "\r", "\t", "#", "\\u", "/-", "-/", "--", "\0")
LONGEST = 20_000
OPTION = re.compile(r"\(\s*([^\s():=≔]+)\s*(?::=|≔)")
"""The start of `(name := value)`: an option of a tactic, or a named argument of a function."""
NOT_EVALUATED = {"motive", "disch", "discharger"}
"""Names of arguments that no tactic has as an option with a value."""
_NAME = r"[A-Za-z_Ͱ-Ͽ][A-Za-z0-9_Ͱ-Ͽ₀-₉'!?]*"
_DOTTED = rf"{_NAME}(?:\.{_NAME})*"
FUNCTION = re.compile(rf"(?<![A-Za-z0-9_Ͱ-Ͽ₀-₉'!?.]){_NAME}(?:\.(?:{_NAME}|[0-9]+))+\s*\Z")
"""The name of a function before its arguments. No tactic has a dot in its name, but `+option` may have."""
LONGEST_NAME = 200
TOKEN = re.compile(rf"\s*(?:(?P<name>\.?{_DOTTED})|(?P<number>[0-9]+)|(?P<sign>:=|[-+*/^%{{}},]))\s*")
"""What the value of an option may hold."""
APPLIED = {("name", "name"), ("name", "number"), ("name", "{"), ("number", "name"), ("number", "{"),
           ("}", "name"), ("}", "number"), ("}", "{")}  # fmt: skip
"""Neighbours of which the first would be a function, and the second its argument."""


@dataclass(frozen=True)
class Refusal:
    """Why a proof is not compiled, and the rule that it breaks; `FORM` means malformed, not a cheat."""

    rule: str
    why: str


@dataclass(frozen=True)
class Statement:
    """A theorem to prove: its name, and its whole text before `:=`, from the truth."""

    name: str
    text: str

    @classmethod
    def read(cls, source: str) -> Statement:
        """Read a text that ends in `:= by sorry` or `:= sorry`; imports and options are ignored."""
        begin = re.search(r"^theorem\s+(\S+)", source, re.MULTILINE)
        if begin is None or "sorry" not in source:
            raise ValueError(f"no theorem that ends in sorry in {source[:60]!r}")
        text = re.sub(r":=\s*(by\s+)?sorry\s*$", "", source[begin.start() :].rstrip())
        return cls(begin.group(1), text.rstrip())


def strip_comments(text: str) -> str:
    """Replace each comment with a space; block comments nest, and an unclosed one goes to the end."""
    characters, depth, at = [], 0, 0
    while at < len(text):
        two = text[at : at + 2]
        if two == "/-":
            characters.append(" ")
            depth, at = depth + 1, at + 2
        elif two == "-/" and depth:
            depth, at = depth - 1, at + 2
        elif two == "--" and not depth:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            if not depth or text[at] == "\n":
                characters.append(text[at])
            at += 1
    return "".join(characters)


def refusal(proof: str) -> Refusal | None:
    """Return why a proof without comments may not be compiled, or None if it may."""
    for word in WORD.findall(proof):
        base_word = word if word in RULE_OF else word.rstrip("!?")  # `bv_decide?` does what `bv_decide` does
        if base_word in RULE_OF:
            return Refusal(RULE_OF[base_word], f"holds the word {word!r}")
    why = _malformed(proof) or _unbalanced(proof) or _computed_option(proof)
    return Refusal(FORM, why) if why else None


def _malformed(proof: str) -> str | None:
    if len(proof) > LONGEST:
        return f"{len(proof)} characters, at most {LONGEST} may be"
    if not proof.strip():
        return "empty"
    for sign in SIGNS:
        if sign in proof:
            return f"holds {sign!r}"
    if not proof.isascii() and any("\ud800" <= sign <= "\udfff" for sign in proof):
        return "holds half a sign, which no file can"
    glued = GLUED.search(proof)
    return f"a number runs into a word at {glued.group(0)!r}" if glued else None


def _unbalanced(proof: str) -> str | None:
    if QUOTED.search(proof):
        return "holds a bracket in quotes"
    stack: list[str] = []
    for sign in proof:
        if sign in BRACKETS.values():
            stack.append(sign)
        elif sign in BRACKETS and (not stack or stack.pop() != BRACKETS[sign]):
            return f"closes {sign!r} that it did not open"
    return f"does not close {stack[-1]!r}" if stack else None


def _computed_option(proof: str) -> str | None:
    """Return which `(name := value)` could be a program that Lean evaluates; the brackets must balance."""
    closing = _closing(proof)
    argument_ends: set[int] = set()
    for option in OPTION.finditer(proof):
        end = closing[option.start()]
        if len(proof[: option.start()].rstrip()) - 1 in argument_ends or _has_function(proof, option.start()):
            argument_ends.add(end)
        elif option.group(1) not in NOT_EVALUATED and not _plain(proof[option.end() : end]):
            return (
                f"computes the value of {option.group(1)!r}; after a name without a dot, `(name := value)` "
                "may hold numbers, names and arithmetic only (give other arguments by position)"
            )
    return None


def _closing(proof: str) -> dict[int, int]:
    stack, pairs = [], {}
    for at, sign in enumerate(proof):
        if sign == "(":
            stack.append(at)
        elif sign == ")":
            pairs[stack.pop()] = at
    return pairs


def _has_function(proof: str, at: int) -> bool:
    """Return whether the name before a place is one of a function, and of no tactic or option."""
    text = proof[:at].rstrip()
    start = max(0, len(text) - LONGEST_NAME)
    name = FUNCTION.search(text, start)
    if name is None or name.start() == start > 0:
        return False
    return not text[: name.start()].rstrip().endswith(("+", "-"))


def _plain(value: str) -> bool:
    """Return whether it holds only numbers, names, arithmetic and structures, and applies nothing."""
    at, before = 0, ""
    while at < len(value):
        token = TOKEN.match(value, at)
        if token is None:
            return False
        kind = token.group("sign") or str(token.lastgroup)
        if (before, kind) in APPLIED:
            return False
        at, before = token.end(), kind
    return bool(before)


@dataclass(frozen=True)
class Place:
    """The first line of a statement with its proof, the line that asks about it, and its name in the file."""

    first: int
    printed: int
    name: str


@dataclass(frozen=True)
class LeanFile:
    """A file for Lean. Its last line must fail with the name `end`, which shows that Lean read all of it."""

    text: str
    places: list[Place]
    end: str
    end_line: int


def write(
    pairs: list[tuple[Statement, str]],
    preamble: str,
    nonce: str,
    lean3: bool = False,
    ask: str = "#print axioms",
) -> LeanFile:
    """Write statements with accepted proofs and a question about each; lines count from 1.

    Every name contains `nonce`, so that no proof can know what Lean prints about it.
    """
    lines = preamble.rstrip().split("\n") if preamble.strip() else []
    places = []
    for number, (statement, proof) in enumerate(pairs):
        first = len(lines) + 1
        name = f"assay_{nonce}_{number}"
        text = re.sub(rf"^theorem\s+{re.escape(statement.name)}", f"theorem {name}", statement.text, count=1)
        lines += f"{text} :={'' if lean3 else ' by'}".split("\n")
        body = textwrap.indent(textwrap.dedent(proof.strip("\n")), "    ").split("\n")
        lines += ["begin", *body, "end"] if lean3 else ["  (", *body, "  )"]
        lines += ["", f"{ask} {name}"]
        places.append(Place(first, len(lines), name))
    end = f"assay_{nonce}_end"
    lines.append(f"example : 0 = 1 := {end}")
    return LeanFile("\n".join(lines) + "\n", places, end, len(lines))
