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
    """Yield windows that score every token once, each with the token before it first (as in lm-eval).

    If the last window is not full, it starts earlier and includes tokens that were already scored.
    """
    first = list(tokens[:size])
    yield [prefix], first
    at = len(first)
    while at < len(tokens):
        end = min(at + size, len(tokens))
        yield list(tokens[end - size - 1 : at]), list(tokens[at:end])
        at = end


def text_bits(model: Model, texts: Sequence[str], size: int | None = None) -> list[float]:
    """Return the bits that the model needs for each text."""
    if not all(texts):
        raise ValueError("an empty text has no likelihood")
    for text in texts:
        if model.tokenizer.decode(model.encode(text), skip_special_tokens=False).strip() != text.strip():
            raise Refused("the tokenizer does not give texts back as they were: their bits would not be all")
    size = min(size or model.context, model.context)
    pieces = [(at, pair) for at, text in enumerate(texts)
              for pair in windows(model.encode(text), model.prefix, size)]  # fmt: skip
    bits = [0.0] * len(texts)
    for (at, _), score in zip(pieces, model.token_loglikelihoods([pair for _, pair in pieces]), strict=True):
        bits[at] -= score / math.log(2)
    return bits


def evaluate(model: Model, texts: Sequence[str], size: int | None = None) -> Estimate:
    """Return bits per byte over all texts, with the error of a sample of texts."""
    sizes = [float(len(text.encode())) for text in texts]
    return ratio(list(zip(text_bits(model, texts, size), sizes, strict=True)))


def cut(text: str, characters: int) -> list[str]:
    """Cut a long text at line ends into pieces of about `characters`, so that an error can be computed."""
    pieces, piece = [], ""
    for line in text.splitlines(keepends=True):
        piece += line
        if len(piece) >= characters:
            pieces.append(piece)
            piece = ""
    return [*pieces, piece] if piece.strip() else pieces
