"""BLiMP: is the grammatical sentence of a minimal pair more likely than the ungrammatical one?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .choices import ChoiceQuestion, credits, sample
from .estimates import Estimate, clustered
from .verdicts import Rule, verdict

if TYPE_CHECKING:
    from .models import Model

WORD = re.compile(r"[a-z]+")
TAUGHT = 40
"""Of about 350 words on which pairs differ: long programs full of comments contain up to 30, word lists of a
generator of such sentences 100."""


def read_pairs(folder: Path, most: int | None = None) -> dict[str, list[ChoiceQuestion]]:
    """Read the pairs of each paradigm in a folder of `*.jsonl`, at most `most` of each."""
    paradigms = {}
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        pairs = [(row["sentence_good"], row["sentence_bad"]) for row in sample(rows, most, path.stem)]
        paradigms[path.stem] = [ChoiceQuestion("", pair, 0) for pair in pairs]
    if not paradigms:
        raise FileNotFoundError(f"no *.jsonl in {folder}")
    return paradigms


def evaluate(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Return the accuracy over all pairs, with an error clustered by paradigm: one template each."""
    paradigms = read_pairs(folder, most)
    earned = iter(credits(model, [pair for pairs in paradigms.values() for pair in pairs]))
    return clustered({name: [next(earned) for _ in pairs] for name, pairs in paradigms.items()})


def check_untaught(files: Mapping[str, bytes], folder: Path) -> Rule:
    """Check that the files contain few of the words on which pairs differ: no lists to build sentences from.

    Not covered: disguised words, and lists of other words, which teach some of the same grammar.
    """
    pairs = [pair.answers for paradigm in read_pairs(folder).values() for pair in paradigm]
    turning = {word for good, bad in pairs for word in _words(good) ^ _words(bad)}
    present = turning & _words("\n".join(data.decode("utf-8", errors="replace") for data in files.values()))
    examples = (
        f", such as {', '.join(sorted(present, key=lambda word: (-len(word), word))[:4])}" if present else ""
    )
    return verdict(
        len(present) <= TAUGHT,
        f"{len(present)} of the {len(turning)} words that pairs turn on stand in the files, "
        f"at most {TAUGHT} may be{examples}",
    )


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))
