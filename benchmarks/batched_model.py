"""The evaluators' model with large batches and few waits for the GPU: the same log-likelihoods, faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from trusted.models import CONTEXT, SHARE, Model, Piece, SharedContext, load_model

MOST_TOKENS, MOST_CELLS, MOST_LOGITS = 32_768, 2**25, 8_192
"""Of a batch: tokens, cells of the attention mask, and positions whose logits are held at once."""
PADDING = -2


class BatchedModel(Model):
    """Scores the continuations of a batch together; `Model` waits for the GPU after each."""

    def token_loglikelihoods(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[float]:
        """Return the log-likelihoods of tokens; a context that is too long loses its beginning."""
        pieces: dict[tuple[int, ...], list[Piece]] = {}
        for number, (before, after) in enumerate(pairs):
            for at in range(0, len(after), self.context):
                part = after[at : at + self.context]
                context = tuple((before + after[:at])[-(self.context + 1 - len(part)) :])
                pieces.setdefault(context, []).append((number, part))
        rows = [
            SharedContext(context, tuple(continuations[at : at + SHARE]))
            for context, continuations in pieces.items()
            for at in range(0, len(continuations), SHARE)
        ]
        totals = torch.zeros(len(pairs), dtype=torch.double, device=self.network.device)
        for batch in batches(sorted(rows, key=lambda row: -len(row.tokens))):
            self._add_scores(batch, self._hidden(batch), totals)
        return totals.tolist()

    @torch.inference_mode()
    def _hidden(self, batch: Sequence[SharedContext]) -> Any:
        """Return the last hidden states; the mask is made on the GPU."""
        longest, device = len(batch[0].tokens), self.network.device

        def padded(name: str, filler: int) -> torch.Tensor:
            values = [getattr(row, name) for row in batch]
            return torch.tensor([each + [filler] * (longest - len(each)) for each in values]).to(device)

        owners, order = padded("owners", PADDING), torch.arange(longest, device=device)
        shared = (owners[:, :, None] == owners[:, None]) | (owners[:, None] == CONTEXT)
        hidden = ~(shared & (order[:, None] >= order[None]))
        mask = torch.zeros(hidden.shape, dtype=self.network.dtype, device=device)
        mask.masked_fill_(hidden, torch.finfo(self.network.dtype).min)
        return self.network.base_model(
            input_ids=padded("tokens", 0), position_ids=padded("positions", 0),
            attention_mask=mask[:, None], use_cache=False,
        ).last_hidden_state  # fmt: skip

    @torch.inference_mode()
    def _add_scores(self, batch: Sequence[SharedContext], hidden: Any, totals: torch.Tensor) -> None:
        """Add each token's score to the pair that it belongs to."""
        found = [
            (at, place, token, number)
            for at, row in enumerate(batch)
            for (number, after), places in zip(row.pieces, row.places, strict=True)
            for place, token in zip(places, after, strict=True)
        ]
        for part in torch.tensor(found).to(totals.device).split(MOST_LOGITS):
            at, place, token, number = part.T
            logits = self.network.get_output_embeddings()(hidden[at, place]).float()
            scores = logits.gather(1, token[:, None])[:, 0] - logits.logsumexp(1)
            totals.index_add_(0, number, scores.double())


def batches(rows: Sequence[SharedContext]) -> Iterator[list[SharedContext]]:
    """Split rows, sorted from long to short, into batches of as many as fit."""
    at = 0
    while at < len(rows):
        size = len(rows[at].tokens)
        number = max(1, min(MOST_TOKENS // size, MOST_CELLS // size**2))
        yield list(rows[at : at + number])
        at += number


def load(folder: Path) -> BatchedModel:
    """Load a model folder on one thread, with products of matrices in TF32."""
    model = load_model(folder)
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    return BatchedModel(model.network, model.tokenizer, model.prefix, model.context)
