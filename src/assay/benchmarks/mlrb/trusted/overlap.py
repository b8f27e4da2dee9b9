"""BLEU and ROUGE-L: how many words two texts share, in order."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

ORDER = 4
SPLIT = re.compile(r"[^a-z0-9]+")
TOKENISE = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def rouge_l(made: str, reference: str) -> float:
    """ROUGE-L F1 over lower-cased alphanumeric words, as rouge-score gives it without stemming."""
    one = [word for word in SPLIT.split(made.lower()) if word]
    other = [word for word in SPLIT.split(reference.lower()) if word]
    common = _longest_common(one, other)
    return 2 * common / (len(one) + len(other)) if common else 0.0


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for at, against in enumerate(other, start=1):
            before, row[at] = row[at], before + 1 if word == against else max(row[at], row[at - 1])
    return row[-1]


def words_13a(text: str) -> list[str]:
    """The words of a text under the `13a` tokenisation, BLEU's usual one."""
    text = f" {text.strip()} "
    for name, sign in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(name, sign)
    for pattern, spaced in TOKENISE:
        text = pattern.sub(spaced, text)
    return text.split()


def bleu(made: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU in [0, 100] with one reference each, as sacrebleu gives it by default."""
    matches, totals = [0] * ORDER, [0] * ORDER
    length = wanted = 0
    for text, reference in zip(made, references, strict=True):
        words, against = words_13a(text), words_13a(reference)
        length, wanted = length + len(words), wanted + len(against)
        for order in range(ORDER):
            have, need = _ngrams(words, order + 1), _ngrams(against, order + 1)
            matches[order] += sum((have & need).values())
            totals[order] += max(len(words) - order, 0)
    if not length or not matches[0]:
        return 0.0
    brevity = min(1.0, math.exp(1 - wanted / length))
    logs, smooth = 0.0, 1.0
    for found, total in zip(matches, totals, strict=True):
        if not total:
            return 0.0
        if not found:
            smooth *= 2
        logs += math.log(100 * found / total if found else 100 / (smooth * total))
    return brevity * math.exp(logs / ORDER)


def _ngrams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
