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


def rouge_l(text: str, reference: str) -> float:
    """Return ROUGE-L F1 over lower-case alphanumeric words, like rouge-score without stemming."""
    words = [word for word in SPLIT.split(text.lower()) if word]
    reference_words = [word for word in SPLIT.split(reference.lower()) if word]
    common = _longest_common(words, reference_words)
    return 2 * common / (len(words) + len(reference_words)) if common else 0.0


def _longest_common(words: Sequence[str], other_words: Sequence[str]) -> int:
    row = [0] * (len(other_words) + 1)
    for word in words:
        before = 0
        for at, other_word in enumerate(other_words, start=1):
            before, row[at] = row[at], before + 1 if word == other_word else max(row[at], row[at - 1])
    return row[-1]


def words_13a(text: str) -> list[str]:
    """Split a text into words with the `13a` tokenisation, the usual one for BLEU."""
    text = f" {text.strip()} "
    for name, sign in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(name, sign)
    for pattern, spaced in TOKENISE:
        text = pattern.sub(spaced, text)
    return text.split()


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Return corpus BLEU in [0, 100] with one reference for each text, like sacrebleu by default."""
    matches, totals = [0] * ORDER, [0] * ORDER
    length = reference_length = 0
    for text, reference in zip(texts, references, strict=True):
        words, reference_words = words_13a(text), words_13a(reference)
        length, reference_length = length + len(words), reference_length + len(reference_words)
        for order in range(ORDER):
            have, need = _ngrams(words, order + 1), _ngrams(reference_words, order + 1)
            matches[order] += sum((have & need).values())
            totals[order] += max(len(words) - order, 0)
    if not length or not matches[0]:
        return 0.0
    brevity = min(1.0, math.exp(1 - reference_length / length))
    logs, smooth = 0.0, 1.0
    for match_count, total in zip(matches, totals, strict=True):
        if not total:
            return 0.0
        if not match_count:
            smooth *= 2
        logs += math.log(100 * match_count / total if match_count else 100 / (smooth * total))
    return brevity * math.exp(logs / ORDER)


def _ngrams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
