"""Bits per byte over held texts: perplexity that does not depend on the tokenizer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .estimates import Estimate, ratio
from .verdicts import Refused

if TYPE_CHECKING:
    from .models import Model


def windows(tokens: Sequence[int], prefix: int, size: int) -> Iterator[tuple[list[int], list[int]]]:
    """Every token scored once: windows side by side, each led by the token before it (as in lm-eval).

    The last window, where it is not full, reaches back over tokens that were scored already.
    """
    first = list(tokens[:size])
    yield [prefix], first
    at = len(first)
    while at < len(tokens):
        end = min(at + size, len(tokens))
        yield list(tokens[end - size - 1 : at]), list(tokens[at:end])
        at = end


def text_bits(model: Model, texts: Sequence[str], size: int | None = None) -> list[float]:
    """The bits that the model needs for each text."""
    if not all(texts):
        raise ValueError("an empty text has no likelihood")
    for text in texts:
        if model.tokenizer.decode(model.encode(text), skip_special_tokens=False).strip() != text.strip():
            raise Refused("the tokenizer does not give texts back as they were: their bits would not be all")
    size = min(size or model.context, model.context)
    pieces = [(at, pair) for at, text in enumerate(texts)
              for pair in windows(model.encode(text), model.prefix, size)]  # fmt: skip
    bits = [0.0] * len(texts)
    for (at, _), found in zip(pieces, model.token_loglikelihoods([pair for _, pair in pieces]), strict=True):
        bits[at] -= found / math.log(2)
    return bits


def evaluate(model: Model, texts: Sequence[str], size: int | None = None) -> Estimate:
    """Bits per byte over all texts; the error is that of a sample of texts."""
    sizes = [float(len(text.encode())) for text in texts]
    return ratio(list(zip(text_bits(model, texts, size), sizes, strict=True)))


def cut(text: str, characters: int) -> list[str]:
    """A long text in pieces of about that many characters, cut at line ends, so that an error can be told."""
    pieces, now = [], ""
    for line in text.splitlines(keepends=True):
        now += line
        if len(now) >= characters:
            pieces.append(now)
            now = ""
    return [*pieces, now] if now.strip() else pieces
